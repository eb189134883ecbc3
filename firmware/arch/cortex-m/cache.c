/* Caches, on cores that have them (M7, M55): Arm v7-M Architecture Reference Manual, B2.2. Those for data have four ways. */
#include "arch/cortex-m/cortex_m.h"
#include "arch/cortex-m/registers.h"
#include "hal/hal.h"

#ifdef CF_CACHES

#define LINE 32u /* bytes */
#define WAY (1u << 30)

/* What the caches hold after power-up is not defined. */
void cf_m_caches_on(void) {
    const uint32_t last_set = cf_mmio_read(CCSIDR) >> 13 & 0x7fffu;
    for (int32_t set = (int32_t)(last_set * LINE); set >= 0; set -= (int32_t)LINE) {
        uint32_t line = (uint32_t)set;
        do {
            cf_mmio_write(DCISW, line);
            line += WAY;
        } while (line >= WAY);
    }
    cf_m_barrier();
    cf_mmio_write(CCR, CCR_DIV_0_TRP | CCR_STKALIGN | CCR_IC | CCR_DC);
    cf_m_barrier();
}

#else

void cf_m_caches_on(void) {
}

#endif

/* Memory of its own for code is tightly coupled, and in no cache: so the runner's own code stays in that for instructions. */
#if defined CF_CACHES && !defined CF_CODE_APART

extern uint8_t cf_program_code_start[];

void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    const uintptr_t start = (uintptr_t)cf_program_code_start + offset;
    volatile uint32_t *const iciallu = cf_m_block(ICIALLU);
    for (uintptr_t line = start & ~(LINE - 1u); line < start + len; line += LINE) {
        iciallu[(DCCMVAU - ICIALLU) / 4] = (uint32_t)line;
    }
    cf_m_barrier();
    *iciallu = 0;
    cf_m_barrier();
}

#else

void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    (void)offset;
    (void)len;
    cf_m_barrier();
}

#endif
