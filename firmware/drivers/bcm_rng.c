/* No manual tells these registers: they are those of Linux's drivers bcm2835-rng and iproc-rng200. */
#include "drivers/bcm_rng.h"

#include "drivers/mmio.h"

enum {
    CONTROL = 0x0,
    STATUS = 0x4,
    DATA = 0x8,
    DATA_2711 = 0x20,
    COUNT_2711 = 0x24,
};

#define CONTROL_ON 1u
#define STATUS_WORDS 24u /* those ready, from this bit on */
#define CONTROL_ON_2711 0x1fffu
#define COUNT_WORDS 0xffu

/* Reads of a device take 0.1 us and more. */
#define READY_TURNS 20000u

void cf_bcm_rng_start(uintptr_t rng) {
    cf_mmio_write(rng + CONTROL, CONTROL_ON);
}

void cf_bcm_rng_start_2711(uintptr_t rng) {
    cf_mmio_write(rng + CONTROL, CONTROL_ON_2711);
}

uint32_t cf_bcm_rng(uintptr_t rng) {
    for (uint32_t i = 0; i < READY_TURNS; i++) {
        if (cf_mmio_read(rng + STATUS) >> STATUS_WORDS != 0) {
            return cf_mmio_read(rng + DATA);
        }
    }
    return 0;
}

uint32_t cf_bcm_rng_2711(uintptr_t rng) {
    for (uint32_t i = 0; i < READY_TURNS; i++) {
        if ((cf_mmio_read(rng + COUNT_2711) & COUNT_WORDS) != 0) {
            return cf_mmio_read(rng + DATA_2711);
        }
    }
    return 0;
}
