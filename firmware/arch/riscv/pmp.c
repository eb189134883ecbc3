/*
 * Physical memory protection: what a program may touch, and nothing else.
 *
 *   what                          runner (machine)        program (user)
 *   guard below its stack         -                       -
 *   code memory                   read, write, execute    read, execute
 *   data memory, program's stack  read, write, execute    read, write
 *   services (no FPU)             read, write, execute    read, execute
 *   everything else               read, write, execute    -
 *
 * Machine mode is bound by locked entries only, which would bind programs in the same way: so the runner itself is held
 * back at the end of its stack alone. Uses entries 0 to 7: an implementation that has any has at least 8.
 */
#include "arch/riscv/riscv.h"
#include "platform/board.h"

extern uint8_t cf_runner_guard_start[], cf_runner_stack_start[], cf_program_stack_start[], cf_program_stack_top[];
extern uint8_t cf_services_start[];

#define SERVICES_SIZE 8192u /* as in link.ld */

/* Bits of a configuration byte. */
#define READ 1u
#define WRITE 2u
#define EXECUTE 4u
#define UP_TO 8u         /* from the address of the entry before up to that of this one */
#define POWER_OF_2 0x18u /* size and place are in the address */
#define LOCKED 0x80u

#define CODE (UP_TO | READ | EXECUTE)
#define DATA (UP_TO | READ | WRITE)

#define ADDRESS(entry, address) __asm__ volatile("csrw pmpaddr" #entry ", %0" : : "r"((uintptr_t)(address) >> 2))

void cf_rv_pmp_init(void) {
    const struct cf_platform *p = &cf_board.platform;
    const uintptr_t guard = (uintptr_t)cf_runner_guard_start;
    const uintptr_t guard_size = (uintptr_t)cf_runner_stack_start - guard; /* power of two, see link.ld */
    ADDRESS(0, guard + guard_size / 2u - 1u);
    ADDRESS(1, p->code_exec);
    ADDRESS(2, p->code_exec + p->capacity[CF_CAPACITY_CODE]);
    ADDRESS(3, p->data);
    ADDRESS(4, p->data + p->capacity[CF_CAPACITY_DATA]);
    ADDRESS(5, cf_program_stack_start);
    ADDRESS(6, cf_program_stack_top);
    const uint32_t first = POWER_OF_2 | LOCKED | CODE << 16;
#if defined(CF_RISCV_FLOAT)
    const uint32_t second = DATA | DATA << 16;
#else
    ADDRESS(7, cf_services_start + SERVICES_SIZE / 2u - 1u);
    const uint32_t second = DATA | DATA << 16 | (POWER_OF_2 | READ | EXECUTE) << 24;
#endif
#if __riscv_xlen == 64
    __asm__ volatile("csrw pmpcfg0, %0\n\tsfence.vma" : : "r"((uint64_t)second << 32 | first) : "memory");
#else
    __asm__ volatile("csrw pmpcfg1, %0\n\tcsrw pmpcfg0, %1" : : "r"(second), "r"(first) : "memory");
#endif
}
