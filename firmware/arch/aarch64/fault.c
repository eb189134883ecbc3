/* Exceptions as faults of the wire protocol. */
#include "arch/aarch64/aarch64.h"

#include "core/codes_gen.h"

extern uint8_t cf_program_guard_start[], cf_program_stack_start[];

/* Exception classes (ESR_ELx.EC). Those of EL0 are even; the same ones from EL1 follow them. */
enum { EC_COUNT = 64, EC_SHIFT = 26 };

#define EC_SVC 0x15u

#define FAR_NOT_VALID (1u << 10) /* of an abort from outside the core */
#define DFSC_MASK 0x3fu
#define DFSC_ALIGNMENT 0x21u

struct class {
    uint8_t kind;
    bool has_address; /* FAR_ELx is valid */
};

/* A class that is not listed (breakpoints, SVC elsewhere than at the gate, debug events) is CF_FAULT_OTHER. */
static const struct class classes[EC_COUNT] = {
    [0x00] = {CF_FAULT_ILLEGAL, false},    /* undefined instruction */
    [0x01] = {CF_FAULT_ILLEGAL, false},    /* WFI, WFE */
    [0x07] = {CF_FAULT_ILLEGAL, false},    /* floating point switched off */
    [0x0e] = {CF_FAULT_ILLEGAL, false},    /* illegal execution state */
    [0x18] = {CF_FAULT_ILLEGAL, false},    /* system register or instruction */
    [0x20] = {CF_FAULT_MEMORY, true},      /* instruction abort */
    [0x21] = {CF_FAULT_MEMORY, true},
    [0x22] = {CF_FAULT_ALIGNMENT, true},   /* program counter */
    [0x24] = {CF_FAULT_MEMORY, true},      /* data abort */
    [0x25] = {CF_FAULT_MEMORY, true},
    [0x26] = {CF_FAULT_ALIGNMENT, false},  /* stack pointer */
    [0x2c] = {CF_FAULT_ARITHMETIC, false}, /* floating-point trap */
    [0x2f] = {CF_FAULT_MEMORY, false},     /* SError */
};

static bool is_data_abort(uint32_t class) {
    return class == 0x24 || class == 0x25;
}

void cf_a64_classify(enum cf_a64_exit_reason reason, uint64_t esr, uint64_t elr, uint64_t far, struct cf_fault *fault) {
    *fault = (struct cf_fault){.kind = CF_FAULT_OTHER, .pc = elr};
    if (reason == CF_A64_EXIT_EXPIRED) {
        fault->kind = CF_FAULT_TIME_LIMIT;
        return;
    }
    fault->cause = (uint32_t)esr;
    if (reason == CF_A64_EXIT_SERROR) {
        fault->kind = CF_FAULT_MEMORY;
        return;
    }
    const uint32_t number = (uint32_t)(esr >> EC_SHIFT) % EC_COUNT;
    const struct class class = classes[number];
    if (class.kind != 0) {
        fault->kind = class.kind;
    }
    if (class.has_address && (esr & FAR_NOT_VALID) == 0) {
        fault->address = far;
    }
    if (number == EC_SVC) {
        fault->pc -= 4u; /* the only class whose return address is behind the instruction */
    }
    if (is_data_abort(number)) {
        if ((esr & DFSC_MASK) == DFSC_ALIGNMENT) {
            fault->kind = CF_FAULT_ALIGNMENT;
        } else if (far >= (uintptr_t)cf_program_guard_start && far < (uintptr_t)cf_program_stack_start) {
            fault->kind = CF_FAULT_STACK;
        }
    }
}

_Noreturn void cf_a64_fatal(enum cf_a64_exit_reason reason, uint64_t esr, uint64_t elr, uint64_t far) {
    cf_a64_classify(reason, esr, elr, far, &cf_platform_life.fault);
    cf_platform_fatal();
}
