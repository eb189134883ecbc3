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
#ifndef CF_M_MPU_H
#define CF_M_MPU_H

#include "arch/cortex-m/cortex_m.h"

/* Of link.ld; what counts is each symbol's value. */
extern const uint8_t cf_flash_start[], cf_gate_start[], cf_gate_end[], cf_flash_end[], cf_program_stack_start[],
    cf_program_code_start[], cf_program_code_end[], cf_code_memory_start[], cf_ram_end[], cf_runner_guard[];

#define VALUE(symbol) ((uintptr_t)(symbol))

/* MPU_STEPS sets all up, the region of code memory as the selected one. Later only MPU_CODE, a register of that, is changed: to MPU_RUN
 * while programs may be executed. */
#ifdef CF_NO_MPU

#define MPU_STEPS

#elif __ARM_ARCH >= 8

/* The last 32 bytes of a region are named; regions may not overlap. */
#define XN 1u
#define PRIVILEGED (0u << 1)
#define ANY (1u << 1)
#define READ_ONLY (2u << 1)
#define NORMAL 0xffu /* MAIR: write-back, read and write allocate */

#define REGION(alias, start, end, rights)                                                                              \
    CF_WRITE(MPU_RBAR + 8u * (alias), VALUE(start) + (rights)), CF_WRITE(MPU_RLAR + 8u * (alias), VALUE(end) - 31u)

#define MPU_STEPS                                                                                                      \
    CF_WRITE(MPU_MAIR0, NORMAL), CF_WRITE(MPU_RNR, 0),                                                                 \
        REGION(0, cf_flash_start, cf_gate_start, READ_ONLY | PRIVILEGED),                                              \
        REGION(1, cf_gate_start, cf_gate_end, READ_ONLY | ANY),                                                        \
        REGION(2, cf_gate_end, cf_flash_end, READ_ONLY | PRIVILEGED | XN),                                             \
        REGION(3, cf_program_stack_start, cf_program_code_start, ANY | XN), CF_WRITE(MPU_RNR, 4),                      \
        REGION(0, cf_program_code_end, cf_ram_end, PRIVILEGED | XN), CF_WRITE(MPU_RNR, 5),                             \
        REGION(0, cf_program_code_start, cf_program_code_end, PRIVILEGED | XN), CF_WRITE(MPU_CTRL, MPU_CTRL_ON),
#define MPU_CODE MPU_RBAR
#define MPU_RUN (VALUE(cf_program_code_start) + (READ_ONLY | ANY))
#define MPU_IDLE (VALUE(cf_program_code_start) + (PRIVILEGED | XN))

#else

/* A region is a power of two, in eighths that can be left out, and a later one wins. */
extern const uint8_t cf_mpu_flash[], cf_mpu_gate[], cf_mpu_ram[], cf_mpu_data[], cf_mpu_guard[], cf_mpu_code[], cf_mpu_apart[];

#define VALID (1u << 4)

#define REGION(number, start, rights) CF_WRITE(MPU_RBAR, VALUE(start) + VALID + (number)), CF_WRITE(MPU_RASR, VALUE(rights))

/* A Cortex-M7 reads ahead, by guess, wherever memory could be: also in the 1 GiB from 0x60000000 on, of memory outside the chip, whose
 * controllers are off. There nobody has access. */
#ifdef CF_CACHES
#define OUTSIDE CF_WRITE(MPU_RBAR, VALID + 6u), CF_WRITE(MPU_RASR, 0x1000e73f), /* two eighths of all addresses */
#else
#define OUTSIDE
#endif

/* Where the region of code memory is off, that of the whole RAM holds, or of the whole memory that code has of its own. */
#ifdef CF_CODE_APART
#define CODE_REGION 7u
#define APART REGION(5, cf_code_memory_start, cf_mpu_apart),
#else
#define CODE_REGION 5u
#define APART
#endif

#define MPU_STEPS                                                                                                      \
    REGION(0, cf_flash_start, cf_mpu_flash), REGION(1, cf_gate_start, cf_mpu_gate),                                    \
        REGION(2, cf_program_stack_start, cf_mpu_ram), REGION(3, cf_program_stack_start, cf_mpu_data),                 \
        REGION(4, cf_runner_guard, cf_mpu_guard), OUTSIDE APART                                                        \
        CF_WRITE(MPU_RBAR, VALUE(cf_code_memory_start) + VALID + CODE_REGION),                                         \
        CF_WRITE(MPU_CTRL, MPU_CTRL_ON),
#define MPU_CODE MPU_RASR
#define MPU_RUN VALUE(cf_mpu_code)
#define MPU_IDLE 0

#endif

/* Code memory is executable, or else writable for the runner. */
__attribute__((always_inline)) static inline void cf_m_mpu_code(bool executable) {
#ifndef CF_NO_MPU
    *cf_m_block(MPU_CODE) = (uint32_t)(executable ? MPU_RUN : MPU_IDLE);
    cf_m_barrier();
#else
    (void)executable;
#endif
}

#endif
