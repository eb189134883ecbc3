/* Exceptions as faults of the wire protocol. */
#include "arch/cortex-m/cortex_m.h"

#include <stddef.h>

#include "arch/cortex-m/registers.h"
#include "core/codes_gen.h"
#include "platform/arch.h"

extern const uint8_t cf_program_stack_start[], cf_program_code_start[], cf_program_code_end[], cf_runner_memory_start[],
    cf_runner_frames[];

/* A stack that runs over the start of RAM by less than this has overflowed; what is further away was never meant as one. */
#define GUARD 0x10000u

static bool below_stack(uintptr_t address) {
    return (uintptr_t)cf_program_stack_start - 1u - address < GUARD;
}

#ifdef __ARM_ARCH_6M__

extern const uint8_t cf_flash_start[], cf_flash_end[];
#ifndef CF_NO_MPU
extern const uint8_t cf_gate_start[], cf_gate_end[];
#endif

/*
 * ARMv6-M has one fault and no word about its reason, so the instruction is asked: a load or store that cannot be the
 * fault's reason is not there. Address and alignment come from its operands.
 */
struct access {
    uintptr_t address;
    uint32_t size; /* bytes, 0: the instruction is no load or store */
};

static struct access access_of(uint32_t instruction, uintptr_t sp, const struct cf_m_frame *frame, const struct cf_m_registers *high) {
    /* By bits 15 to 9. */
    static const uint8_t sizes[128] = {
        [0x28] = 4, [0x29] = 2, [0x2a] = 1, [0x2b] = 1, /* STR, STRH, STRB, LDRSB with a register's offset */
        [0x2c] = 4, [0x2d] = 2, [0x2e] = 1, [0x2f] = 2, /* LDR, LDRH, LDRB, LDRSH */
        [0x30 ... 0x37] = 4, /* STR, LDR */
        [0x38 ... 0x3f] = 1, /* STRB, LDRB */
        [0x40 ... 0x47] = 2, /* STRH, LDRH */
        [0x48 ... 0x4f] = 4, /* STR, LDR from SP on */
        [0x58 ... 0x5f] = 4, /* PUSH, POP */
        [0x60 ... 0x67] = 4, /* STM, LDM */
    };
    const union {
        struct cf_m_registers half[2];
        uint32_t r[8];
    } low = {.half = {frame->low, *high}};
    const uint32_t operation = instruction >> 12;
    const uint32_t offset = instruction >> 6 & 31u;
    const uint32_t size = sizes[instruction >> 9];
    uint32_t base = instruction >> 3;

    if (operation >= 9) {
        if (operation < 12) {
            return (struct access){operation == 9 ? sp + sizeof *frame + 4u * (instruction & 255u) : sp, size};
        }
        base = instruction >> 8;
    }
    base = low.r[base & 7u];
    return (struct access){operation == 5 ? base + low.r[offset & 7u] : operation == 12 ? base : base + size * offset, size};
}

static bool within(uintptr_t address, const uint8_t *start, const uint8_t *end) {
    return address - (uintptr_t)start < (uintptr_t)(end - start);
}

/* Whether there is an instruction to ask: what the memory protection unit lets a program read, it may not let it execute. */
static bool fetched(uintptr_t pc, bool program) {
#ifndef CF_NO_MPU
    if (program) {
        return within(pc, cf_gate_start, cf_gate_end) || within(pc, cf_program_code_start, cf_program_code_end);
    }
#endif
    (void)program;
    return within(pc, cf_flash_start, cf_flash_end) || within(pc, cf_program_stack_start, cf_program_code_end);
}

static void reason(uintptr_t sp, const struct cf_m_frame *frame, const struct cf_m_registers *high, struct cf_fault *fault) {
    if ((frame->xpsr & XPSR_THUMB) == 0) {
        fault->kind = CF_FAULT_ILLEGAL;
        return;
    }
    if (!fetched(fault->pc, sp < (uintptr_t)cf_program_code_start)) {
        fault->kind = CF_FAULT_MEMORY;
        fault->address = fault->pc;
        return;
    }
    const uint32_t instruction = *(const uint16_t *)fault->pc;
    const struct access access = access_of(instruction, sp, frame, high);
    fault->cause = instruction;
    if (instruction >> 8 == 0xbeu) { /* BKPT */
        return;
    }
    if (access.size == 0) {
        fault->kind = CF_FAULT_ILLEGAL;
        return;
    }
    fault->address = access.address;
    fault->kind = (access.address & (access.size - 1u)) != 0 ? CF_FAULT_ALIGNMENT : CF_FAULT_MEMORY;
    if (below_stack(access.address)) {
        fault->kind = CF_FAULT_STACK;
    }
}

#else

/* What has the address: the register of the MPU or of the bus, or what the exception found. */
enum { NOTHING, PC, SP, MPU = (MMFAR - CFSR) / 4, BUS = (BFAR - CFSR) / 4 };

#define REASON(kind, place) ((kind) | (place) << 4)

/* By bit of CFSR. Of several the highest counts: within its kind a frame that could not be pushed or popped comes before the
 * access, and that before the fetch. */
static const uint8_t reasons[] = {
    [0] = REASON(CF_FAULT_MEMORY, PC), /* instruction fetch, refused by the MPU */
    [1] = REASON(CF_FAULT_MEMORY, MPU),
    [3] = REASON(CF_FAULT_STACK, SP), /* popping a frame */
    [4] = REASON(CF_FAULT_STACK, SP), /* pushing */
    [8] = REASON(CF_FAULT_MEMORY, PC), /* instruction fetch, refused by the bus */
    [9] = REASON(CF_FAULT_MEMORY, BUS),
    [10] = REASON(CF_FAULT_MEMORY, NOTHING), /* the same, known too late */
    [11] = REASON(CF_FAULT_STACK, SP),
    [12] = REASON(CF_FAULT_STACK, SP),
    [16] = REASON(CF_FAULT_ILLEGAL, NOTHING), /* undefined */
    [17] = REASON(CF_FAULT_ILLEGAL, NOTHING), /* not Thumb */
    [18] = REASON(CF_FAULT_ILLEGAL, NOTHING), /* return */
    [19] = REASON(CF_FAULT_ILLEGAL, NOTHING), /* coprocessor */
    [20] = REASON(CF_FAULT_STACK, SP), /* stack limit */
    [24] = REASON(CF_FAULT_ALIGNMENT, NOTHING),
    [25] = REASON(CF_FAULT_ARITHMETIC, NOTHING), /* division by 0 */
};

#define CFSR_REASONS 0x031f1f1bu

static void reason(uintptr_t sp, const struct cf_m_frame *frame, const struct cf_m_registers *high, struct cf_fault *fault) {
    volatile uint32_t *const registers = cf_m_block(CFSR);
    const uint32_t cfsr = *registers;
    const uint32_t known = cfsr & CFSR_REASONS;

    (void)frame;
    (void)high;
    fault->cause = cfsr;
    if (known == 0) {
        return;
    }
    const uint32_t found = reasons[31 - __builtin_clz(known)];
    const uint32_t place = found >> 4;
    fault->kind = found & 15u;
    if (place != NOTHING) {
        fault->address = place == SP ? sp : place == PC ? fault->pc : registers[place];
    }
    if (found == REASON(CF_FAULT_MEMORY, MPU) && below_stack(fault->address)) {
        fault->kind = CF_FAULT_STACK;
    }
}

#endif

void cf_m_classify(uintptr_t sp, uintptr_t start, uintptr_t frames, const struct cf_m_registers *high, struct cf_fault *fault) {
    const struct cf_m_frame *frame = (const struct cf_m_frame *)sp;
    const uint32_t exception = cf_m_exception();

    fault->kind = CF_FAULT_OTHER;
    fault->cause = exception;
    fault->pc = 0;
    fault->address = 0;
    if (sp - start > frames) { /* there was nowhere to push it to */
        fault->kind = CF_FAULT_STACK;
        fault->address = sp;
        return;
    }
    fault->pc = frame->pc;
    if (exception == EXCEPTION_SVC) {
        fault->pc -= 2u; /* the only one whose return address is behind the instruction */
        return;
    }
    if (exception >= EXCEPTION_SYSTICK) {
        fault->kind = CF_FAULT_TIME_LIMIT;
        fault->cause = 0;
        return;
    }
    reason(sp, frame, high, fault);
}

_Noreturn void cf_m_fatal(uintptr_t sp, const struct cf_m_registers *high) {
    cf_m_classify(sp, (uintptr_t)cf_runner_memory_start, (uintptr_t)cf_runner_frames, high, &cf_platform_life.fault);
    cf_platform_fatal();
}
