/*
 * Who may do what, where there is a memory protection unit:
 *
 *   what                      runner           program
 *   runner's text             read, execute    -
 *   gate, services            read, execute    read, execute
 *   variables, stack          read, write      -
 *   data memory, stack        read, write      read, write
 *   code memory, in a run     read, execute    read, execute
 *   code memory, otherwise    read, write      -
 *   devices                   read, write      -
 *
 * No address is ever both writable and executable. Nothing is below a program's stack, which is the lowest thing in RAM.
 * What the regions are is worked out by link.ld. A chip without the unit says CF_NO_MPU: there, programs may do everything.
 */
#include "arch/cortex-m/cortex_m.h"

#include "arch/cortex-m/registers.h"

/* Of link.ld; what counts is each symbol's value. */
extern const uint8_t cf_flash_start[], cf_gate_start[], cf_gate_end[], cf_flash_end[], cf_program_stack_start[],
    cf_program_code_start[], cf_program_code_end[], cf_ram_end[], cf_runner_guard[];

#define VALUE(symbol) ((uint32_t)(uintptr_t)(symbol))

#ifdef CF_NO_MPU

void cf_m_mpu_init(void) {
}

void cf_m_mpu_code(bool executable) {
    (void)executable;
}

#elif __ARM_ARCH >= 8

/* A region ends where the next one begins; they may not overlap. */
#define ENABLE 1u
#define XN 1u
#define PRIVILEGED (0u << 1)
#define ANY (1u << 1)
#define READ_ONLY (2u << 1)
#define NORMAL 0xffu /* MAIR: write-back, read and write allocate */

#define CODE_REGION 5u

/* start has the rights in its low bits. */
static void set(uint32_t number, uint32_t start, const uint8_t *end) {
    cf_mmio_write(MPU_RNR, number);
    cf_mmio_write(MPU_RLAR, 0);
    cf_mmio_write(MPU_RBAR, start);
    cf_mmio_write(MPU_RLAR, ((VALUE(end) - 1u) & ~31u) | ENABLE);
}

void cf_m_mpu_init(void) {
    static const struct {
        const uint8_t *start;
        const uint8_t *end;
    } regions[] = {
        {cf_flash_start + (READ_ONLY | PRIVILEGED), cf_gate_start},
        {cf_gate_start + (READ_ONLY | ANY), cf_gate_end},
        {cf_gate_end + (READ_ONLY | PRIVILEGED | XN), cf_flash_end},
        {cf_program_stack_start + (ANY | XN), cf_program_code_start},
        {cf_program_code_end + (PRIVILEGED | XN), cf_ram_end},
    };
    cf_mmio_write(MPU_MAIR0, NORMAL);
    for (uint32_t i = 0; i < CODE_REGION; i++) {
        set(i, VALUE(regions[i].start), regions[i].end);
    }
    cf_m_mpu_code(false);
    cf_mmio_write(MPU_CTRL, MPU_CTRL_ON);
    cf_m_barrier();
}

void cf_m_mpu_code(bool executable) {
    set(CODE_REGION, VALUE(cf_program_code_start) | (executable ? READ_ONLY | ANY : PRIVILEGED | XN), cf_program_code_end);
    cf_m_barrier();
}

#else

/* A region is a power of two, in eighths that can be left out, and a later one wins. */
extern const uint8_t cf_mpu_flash[], cf_mpu_gate[], cf_mpu_ram[], cf_mpu_data[], cf_mpu_guard[], cf_mpu_code[];

#define VALID (1u << 4)
#define CODE_REGION 5u

struct region {
    const uint8_t *base;
    const uint8_t *rights; /* MPU_RASR */
};

void cf_m_mpu_init(void) {
    static const struct region regions[CODE_REGION] = {
        {cf_flash_start, cf_mpu_flash},         {cf_gate_start, cf_mpu_gate},
        {cf_program_stack_start, cf_mpu_ram},   {cf_program_stack_start, cf_mpu_data},
        {cf_runner_guard, cf_mpu_guard},
    };
    for (uint32_t i = 0; i < CODE_REGION; i++) {
        cf_mmio_write(MPU_RBAR, VALUE(regions[i].base) | VALID | i);
        cf_mmio_write(MPU_RASR, VALUE(regions[i].rights));
    }
    cf_mmio_write(MPU_RBAR, VALUE(cf_program_stack_start) | VALID | CODE_REGION);
    cf_mmio_write(MPU_CTRL, MPU_CTRL_ON);
    cf_m_barrier();
}

/* Where the region is off, that of the whole RAM holds. It stays the selected one. */
void cf_m_mpu_code(bool executable) {
    cf_mmio_write(MPU_RASR, executable ? VALUE(cf_mpu_code) : 0);
    cf_m_barrier();
}

#endif
