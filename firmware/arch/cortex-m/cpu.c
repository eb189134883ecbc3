/* What arch.h asks of the core: start, interrupts, sleep, and programs in thread mode. */
#include "arch/cortex-m/cortex_m.h"

#include <stddef.h>

#include "arch/cortex-m/mpu.h"
#include "arch/cortex-m/registers.h"
#include "core/codes_gen.h"
#include "drivers/steps.h"
#include "platform/arch.h"
#include "platform/chip.h"

extern uint8_t cf_bss_start[], cf_bss_end[];
extern const uint8_t cf_m_start[], cf_m_gate[];

static struct {
    uintptr_t entry;
    struct cf_call *call; /* NULL: none is running */
} program;

int main(void);

void cf_arch_irq_mask(void) {
    __asm__ volatile("cpsid i" : : : "memory");
}

void cf_arch_irq_unmask(void) {
    __asm__ volatile("cpsie i" : : : "memory");
}

/* Of link.ld; what counts is the symbol's value. */
extern const uint8_t cf_irq_register[], cf_irqs[];

static const struct cf_step core[] = {
    CF_WRITE(VALUE(cf_irq_register), VALUE(cf_irqs)), /* which are masked yet */
#ifdef CF_FPSCR
    CF_WRITE(CPACR, CPACR_FPU),
    CF_WRITE(FPCCR, 0), /* exceptions push no floating-point registers */
#endif
#ifndef __ARM_ARCH_6M__
    CF_WRITE(VTOR, VALUE(cf_m_vectors)), /* a ROM may have started the runner with its own in use */
    CF_WRITE(CCR, CCR_DIV_0_TRP | CCR_STKALIGN),
    CF_WRITE(SHCSR, SHCSR_FAULTS),
#endif
    MPU_STEPS
    CF_END,
};

_Noreturn void cf_m_reset(void) {
    cf_arch_irq_mask();
    /* Not with memset: nothing may be kept on the stack over it, and .noinit follows. */
    for (uint32_t *word = (uint32_t *)(void *)cf_bss_start; word < (uint32_t *)(void *)cf_bss_end; word++) {
        *word = 0;
    }
#if __ARM_ARCH >= 8
    __asm__ volatile("msr msplim, %0" : : "r"(cf_runner_guard));
#endif
    (void)cf_steps(core, 0);
    cf_m_barrier();
    cf_m_caches_on();
    (void)main();
    for (;;) { /* main does not return */
    }
}

_Noreturn void cf_arch_restart(void) {
    cf_m_barrier();
    cf_mmio_write(AIRCR, AIRCR_RESET);
    for (;;) {
    }
}

void cf_arch_sleep(void) {
    __asm__ volatile("dsb\n\twfi" : : : "memory");
}

/* Ends the program. What it did wrong while it was being interrupted must not come up in the next one. */
static _Noreturn void leave(void) {
    program.call = NULL; /* the alarm may come yet */
#ifndef __ARM_ARCH_6M__
    cf_mmio_write(SHCSR, cf_mmio_read(SHCSR) & ~(uint32_t)SHCSR_PENDED);
    cf_mmio_write(CFSR, ~0u);
#endif
    cf_m_leave();
}

/* The program's time is over. Returns the frame at its stack pointer, or NULL if there cannot be one. */
static const struct cf_m_frame *stopped(void) {
    program.call->end = (cf_number)cf_chip.clock->now();
    return cf_m_program_frame(cf_m_psp());
}

/* Interrupts come one at a time. Those of a run end it, or only move bytes. Returns true, with interrupts masked, if a tick is to be
 * carried out. */
bool cf_m_handle(uintptr_t exc_return) {
    const bool of_program = (exc_return & EXC_RETURN_PSP) != 0;
    const enum cf_platform_event event = cf_platform_interrupt((int32_t)cf_m_exception() - EXCEPTION_IRQ0);
    if (event == CF_PLATFORM_TICK) {
        cf_arch_irq_mask();
        return true;
    }
    if (event == CF_PLATFORM_NOTHING || program.call == NULL) {
        return false;
    }
    struct cf_fault *fault = &program.call->fault;
    const struct cf_m_frame *frame = stopped();
    fault->kind = CF_FAULT_TIME_LIMIT;
    fault->cause = 0;
    fault->pc = program.entry;
    fault->address = 0;
    if (of_program) { /* else it is still at the gate */
        if (frame == NULL) {
            cf_m_classify(cf_m_psp(), NULL, NULL, fault); /* the interrupt has found what no fault has yet */
        } else if (frame->pc - (uintptr_t)cf_m_start >= (uintptr_t)(cf_m_gate - cf_m_start)) {
            fault->pc = frame->pc;
        }
    }
    leave();
}

_Noreturn void cf_m_trap(const struct cf_m_registers *high) {
    const struct cf_m_frame *frame = stopped();
    program.call->fault.kind = 0;
    if (cf_m_exception() != EXCEPTION_SVC || frame == NULL || frame->pc != (uintptr_t)cf_m_gate + 2u) {
        cf_m_classify(cf_m_psp(), frame, high, &program.call->fault);
    }
    leave();
}

int cf_arch_call(uintptr_t entry, void *data, struct cf_call *call) {
    cf_m_mpu_code(true);
    program.entry = entry;
    program.call = call;
    call->start = (cf_number)cf_chip.clock->now();
    cf_m_enter(entry | 1u, data);
    cf_arch_irq_mask();
    cf_m_mpu_code(false);
    return (int)call->fault.kind;
}
