/* Memory of stored programs, and what holds them back, as the chip and the board have them. */
#include <stddef.h>

#include "core/store.h"
#include "drivers/mmio.h"
#include "drivers/steps.h"
#include "platform/arch.h"
#include "platform/board.h"
#include "platform/chip.h"

#if CF_HAS_STORE

CF_STORE_CODE static uint32_t address(uint32_t offset) {
    return (uint32_t)(uintptr_t)cf_hal_store_memory.slots + offset;
}

CF_STORE_CODE void cf_hal_store_erase(uint32_t offset) {
    cf_chip.flash->erase(address(offset));
}

CF_STORE_CODE void cf_hal_store_write(uint32_t offset, const uint8_t *bytes, uint32_t n) {
    cf_chip.flash->write(address(offset), bytes, n);
}

#define PER_SECOND 50u /* 1/50 s: 20 ms */

/* A break that the UART tells of its interrupt handler would take. */
CF_STORE_CODE static bool is_broken(void) {
    return cf_chip.line_broken != NULL && cf_chip.line_broken(cf_chip.uart_base);
}

/* By a level that is there all the time, or by a break. */
CF_STORE_CODE int cf_hal_store_held(void) {
    const struct cf_hold *const hold = &cf_board.hold;
    const cf_moment end = cf_hal_ticks() + cf_hal_timer_hz() / PER_SECOND;
    uint32_t absent = 0; /* bit n: level n was not there once */
    bool broken = false;

    if (hold->steps != NULL) {
        (void)cf_steps(hold->steps, 0);
    }
    cf_arch_irq_mask();
    do { /* once at least: what is not looked at is not there, either */
        for (uint32_t i = 0; i < CF_HOLD_LEVELS; i++) {
            const struct cf_level *const level = &hold->level[i];
            if (level->address == 0 || (cf_mmio_read(level->address) & level->mask) != level->held) {
                absent |= 1u << i;
            }
        }
        broken = broken || is_broken();
        if (cf_chip.line_broken == NULL) { /* what arrives is taken */
            cf_arch_irq_unmask();
            cf_arch_irq_mask();
        }
    } while (cf_before(cf_platform_now(), end));
    cf_arch_irq_unmask();
    return broken || absent != (1u << CF_HOLD_LEVELS) - 1u;
}

#endif
