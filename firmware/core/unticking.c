/* What a platform without ticks need not bring with it. */
#include <stddef.h>

#include "codes_gen.h"
#include "hal/hal.h"

__attribute__((weak)) void cf_hal_loop_start(struct cf_loop *l) {
    (void)l;
}

__attribute__((weak)) void cf_hal_loop_stop(void) {
}

__attribute__((weak)) int cf_hal_loop_call(uintptr_t entry, void *data, uint64_t limit, struct cf_call *call) {
    return cf_hal_call(entry, data, limit, call);
}

__attribute__((weak)) int cf_hal_loop_check(struct cf_fault *fault) {
    (void)fault;
    return 0;
}

__attribute__((weak)) int32_t cf_hal_watchdog(uint32_t ms) {
    (void)ms;
    return CF_ERR_UNSUPPORTED;
}

__attribute__((weak)) uint32_t cf_hal_guard(void) {
    return 0;
}
