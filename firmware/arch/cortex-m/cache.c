/* Caches, on cores that have them (M7, M55): Arm v7-M Architecture Reference Manual, B2.2. */
#include "arch/cortex-m/cortex_m.h"
#include "arch/cortex-m/registers.h"
#include "hal/hal.h"

#ifdef CF_CACHES

extern uint8_t cf_program_code_start[];

#define LINE 32u /* bytes, the least that there is */

/* What the caches hold after power-up is not defined. */
void cf_m_caches_on(void) {
    cf_mmio_write(CSSELR, 0);
    cf_m_barrier();
    const uint32_t size = cf_mmio_read(CCSIDR);
    const uint32_t last_set = size >> 13 & 0x7fffu;
    const uint32_t last_way = size >> 3 & 0x3ffu;
    const uint32_t way_shift = last_way != 0 ? (uint32_t)__builtin_clz(last_way) : 0;
    const uint32_t set_shift = (size & 7u) + 4u;
    for (uint32_t set = 0; set <= last_set; set++) {
        for (uint32_t way = 0; way <= last_way; way++) {
            cf_mmio_write(DCISW, way << way_shift | set << set_shift);
        }
    }
    cf_mmio_write(ICIALLU, 0);
    cf_m_barrier();
    cf_mmio_write(CCR, cf_mmio_read(CCR) | CCR_IC | CCR_DC);
    cf_m_barrier();
}

void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    const uintptr_t start = (uintptr_t)cf_program_code_start + offset;
    for (uintptr_t line = start & ~(LINE - 1u); line < start + len; line += LINE) {
        cf_mmio_write(DCCMVAU, (uint32_t)line);
    }
    cf_m_barrier();
    cf_mmio_write(ICIALLU, 0);
    cf_m_barrier();
}

#else

void cf_m_caches_on(void) {
}

void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    (void)offset;
    (void)len;
    cf_m_barrier();
}

#endif
