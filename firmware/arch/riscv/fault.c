/* Exceptions as faults of the wire protocol. */
#include "arch/riscv/riscv.h"
#include "core/codes_gen.h"

extern uint8_t cf_program_guard_start[], cf_program_stack_start[];

struct cause {
    uint8_t kind;
    bool has_address; /* mtval is one */
};

/* By mcause. What is not listed (calls, breakpoints) is CF_FAULT_OTHER. */
static const struct cause causes[] = {
    [0] = {CF_FAULT_ALIGNMENT, true}, /* instruction address */
    [1] = {CF_FAULT_MEMORY, true},    /* instruction access */
    [2] = {CF_FAULT_ILLEGAL, false},
    [4] = {CF_FAULT_ALIGNMENT, true}, /* load address */
    [5] = {CF_FAULT_MEMORY, true},    /* load access */
    [6] = {CF_FAULT_ALIGNMENT, true}, /* store address */
    [7] = {CF_FAULT_MEMORY, true},    /* store access */
};

#define INSTRUCTION_ACCESS 1u

void cf_rv_classify(uintptr_t cause, uintptr_t pc, uintptr_t value, struct cf_fault *fault) {
    *fault = (struct cf_fault){.kind = CF_FAULT_OTHER, .cause = (uint32_t)cause, .pc = pc};
    if (cause >= sizeof causes / sizeof causes[0] || causes[cause].kind == 0) {
        return;
    }
    fault->kind = causes[cause].kind;
    if (!causes[cause].has_address) {
        return;
    }
    fault->address = value;
    if (fault->kind == CF_FAULT_MEMORY && cause != INSTRUCTION_ACCESS && value >= (uintptr_t)cf_program_guard_start
        && value < (uintptr_t)cf_program_stack_start) {
        fault->kind = CF_FAULT_STACK;
    }
}

_Noreturn void cf_rv_fatal(uintptr_t cause, uintptr_t pc, uintptr_t value) {
    cf_rv_classify(cause, pc, value, &cf_platform_life.fault);
    cf_platform_fatal();
}
