/* Registers: SiFive FE310-G000 Manual, chapter 9. */
#include "drivers/clint.h"

#include "drivers/mmio.h"

enum {
    MTIMECMP_LOW = 0x4000,
    MTIMECMP_HIGH = 0x4004,
    MTIME_LOW = 0xbff8,
    MTIME_HIGH = 0xbffc,
};

uint64_t cf_clint_now(uintptr_t base) {
    for (;;) {
        const uint32_t high = cf_mmio_read(base + MTIME_HIGH);
        const uint32_t low = cf_mmio_read(base + MTIME_LOW);
        if (cf_mmio_read(base + MTIME_HIGH) == high) {
            return (uint64_t)high << 32 | low;
        }
    }
}

/* By way of a value that is never reached, so that no mixture of old and new is. */
void cf_clint_arm(uintptr_t base, uint64_t at) {
    cf_mmio_write(base + MTIMECMP_HIGH, ~0u);
    cf_mmio_write(base + MTIMECMP_LOW, (uint32_t)at);
    cf_mmio_write(base + MTIMECMP_HIGH, (uint32_t)(at >> 32));
}

void cf_clint_disarm(uintptr_t base) {
    cf_mmio_write(base + MTIMECMP_HIGH, ~0u);
    cf_mmio_write(base + MTIMECMP_LOW, ~0u);
}
