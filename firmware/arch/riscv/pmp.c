/*
 * Physical memory protection: what a program may touch, and nothing else.
 *
 *   what                          runner (machine)        program (user)
 *   guard below its stack         -                       -
 *   code memory                   read, write, execute    read, execute
 *   data memory, program's stack  read, write, execute    read, write
 *   services (no FPU)             read, write, execute    read, execute
 *   their constants, at the bus for data (ESP32-C3)
 *                                 read, write, execute    read
 *   everything else               read, write, execute    -
 *
 * Machine mode is bound by locked entries only, which would bind programs in the same way: so the runner itself is held
 * back at the end of its stack alone. Uses entries 0 to 7: an implementation that has any has at least 8, but may leave them at 0; an
 * ESP32-C3 has 16. A
 * chip whose cores may have none, or no user mode, says CF_RISCV_PROBE: a program may do everything then, and cf_arch_conditions tells it.
 */
#include "arch/riscv/riscv.h"
#include "core/codes_gen.h"
#include "platform/board.h"

extern uint8_t cf_runner_guard_start[], cf_runner_stack_start[], cf_program_stack_start[], cf_program_stack_top[];
extern uint8_t cf_services_start[], cf_constants_start[];

#define SERVICES_SIZE 8192u /* as in link.ld */
#define CONSTANTS_SIZE 512u

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

#ifdef CF_RISCV_PROBE

static bool confines;

uint32_t cf_arch_conditions(void) {
    return confines ? 0 : CF_CONDITION_UNCONFINED;
}

/* Of an entry that no start has locked. The access traps where there is no unit: then what follows it is next. */
static bool has_entries(void) {
    uintptr_t found = 0;
    uintptr_t vector, here;
    __asm__ volatile("csrr %1, mtvec\n\t"
                     "la %2, 1f\n\t"
                     "csrw mtvec, %2\n\t"
                     "csrw pmpaddr7, %3\n\t"
                     "csrr %0, pmpaddr7\n\t"
                     ".balign 4\n"
                     "1: csrw mtvec, %1"
                     : "+r"(found), "=&r"(vector), "=&r"(here)
                     : "r"(~(uintptr_t)0 >> 12)
                     : "memory");
    return found != 0;
}

/* A mode that is not there is not taken over, but by QEMU 7.2. The register that lists it may be 0, and say nothing. */
static bool has_user_mode(void) {
    uintptr_t status, isa;
    __asm__ volatile("csrc mstatus, %1\n\tcsrr %0, mstatus" : "=r"(status) : "r"(MSTATUS_MPP) : "memory");
    __asm__ volatile("csrr %0, misa" : "=r"(isa));
    return (status & MSTATUS_MPP) == 0 && (isa == 0 || (isa & MISA_U) != 0);
}

#else

uint32_t cf_arch_conditions(void) {
    return 0;
}

#endif

void cf_rv_pmp_init(void) {
#ifdef CF_RISCV_PROBE
    const bool entries = has_entries();
    confines = has_user_mode() && entries;
    if (!entries) {
        return;
    }
#endif
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
#ifdef CF_RISCV_ESP
    ADDRESS(8, cf_constants_start + CONSTANTS_SIZE / 2u - 1u);
    __asm__ volatile("csrw pmpcfg2, %0\n\tcsrw pmpcfg3, zero" : : "r"(POWER_OF_2 | READ));
#endif
#if __riscv_xlen == 64
    __asm__ volatile("csrw pmpcfg0, %0\n\tsfence.vma" : : "r"((uint64_t)second << 32 | first) : "memory");
#else
    __asm__ volatile("csrw pmpcfg1, %0\n\tcsrw pmpcfg0, %1" : : "r"(second), "r"(first) : "memory");
#endif
}
