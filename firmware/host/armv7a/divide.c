/* What the compiler's library calls for a division by zero. Its own would raise a signal by way of libc. */
#include "host/host.h"

_Noreturn void __aeabi_idiv0(void);
_Noreturn void __aeabi_ldiv0(void);

_Noreturn void __aeabi_idiv0(void) {
    cf_host_die("division by zero", 0);
}

_Noreturn void __aeabi_ldiv0(void) {
    cf_host_die("division by zero", 0);
}
