/* A board's runner: the platform, the core, one loop. */
#include "core/core.h"
#include "hal/hal.h"

int main(void) {
    static struct cf_core core;

    cf_core_init(&core, cf_hal_init());
    while (cf_core_poll(&core) == 0) {
    }
    return 0;
}
