/* What arch.h asks of the core: start, interrupts, sleep, and programs in thread mode. */
#include "arch/cortex-m/cortex_m.h"

#include <stddef.h>

#include "arch/cortex-m/mpu.h"
#include "arch/cortex-m/pins.h"
#include "arch/cortex-m/registers.h"
#include "core/codes_gen.h"
#include "drivers/steps.h"
#include "platform/arch.h"
#include "platform/chip.h"

extern uint8_t cf_bss_start[], cf_bss_end[];
extern const uint8_t cf_m_gate[], cf_program_frames[];

/* For vectors.S, too. */
struct cf_m_program {
    struct cf_call *call; /* NULL: none is running */
    uintptr_t entry;
};
extern struct cf_m_program cf_m_program;
struct cf_m_program cf_m_program;

int main(void);

void cf_arch_irq_mask(void) {
    __asm__ volatile("cpsid i" : : : "memory");
}

void cf_arch_irq_unmask(void) {
    __asm__ volatile("cpsie i" : : : "memory");
}

static const struct cf_step core[] = {
#ifdef CF_FPSCR
    CF_WRITE(CPACR, CPACR_FPU),
    CF_WRITE(FPCCR, 0), /* exceptions push no floating-point registers */
#endif
#ifndef __ARM_ARCH_6M__
    CF_WRITE(VTOR, VALUE(cf_m_vectors)), /* a ROM may have started the runner with its own in use */
    CF_WRITE(CCR, CCR_DIV_0_TRP | CCR_STKALIGN),
    CF_WRITE(SHCSR, SHCSR_FAULTS),
#endif
#ifdef CF_CACHES
    CF_WRITE(CSSELR, 0), /* for cf_m_caches_on */
    CF_WRITE(ICIALLU, 0),
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

/* A core may come without the unit: its regions are not there then, and nothing has come of setting them (DDI 0403, B3.5.4). */
#ifdef CF_CODE_APART
#define REGIONS 8u
#elif defined CF_CACHES
#define REGIONS 7u
#else
#define REGIONS 6u
#endif

uint32_t cf_arch_conditions(void) {
#ifdef CF_NO_MPU
    return CF_CONDITION_UNCONFINED;
#else
    return (cf_mmio_read(MPU_TYPE) & 0xff00u) < REGIONS << 8 ? CF_CONDITION_UNCONFINED : 0;
#endif
}

void cf_arch_sleep(void) {
    __asm__ volatile("dsb\n\twfi" : : : "memory");
}

_Static_assert(CF_PLATFORM_NOTHING < CF_M_ALARM && CF_PLATFORM_ALARM == CF_M_ALARM && CF_PLATFORM_TICK > CF_M_ALARM, "for vectors.S");

/* Ends the program that is running: it has come to the gate, has done wrong, or its time is over. */
void cf_m_stop(uintptr_t exc_return, const struct cf_m_registers *high) {
    struct cf_call *const call = cf_m_program.call;
    if (call == NULL) { /* an alarm that is late, or of nobody */
        return;
    }
    struct cf_fault *const fault = &call->fault;
    call->end = cf_chip.clock->now();
    cf_m_classify(cf_m_psp(), VALUE(cf_program_stack_start), VALUE(cf_program_frames), high, fault);
    const uint32_t way = fault->pc - (VALUE(cf_m_gate) - CF_M_GATE);
    if (way < CF_M_GATE || (exc_return & EXC_RETURN_PSP) == 0) {
        fault->pc = cf_m_program.entry; /* it has not begun yet */
    } else if (way == CF_M_GATE + CF_M_DSB && fault->kind == CF_FAULT_OTHER) {
        fault->kind = 0; /* it has come back, and calls */
    }
    cf_m_program.call = NULL;
#ifndef __ARM_ARCH_6M__
    /* What it did wrong while it was being interrupted must not come up in the next one. */
    volatile uint32_t *const shcsr = cf_m_block(SHCSR);
    *shcsr &= ~(uint32_t)SHCSR_PENDED;
    shcsr[(CFSR - SHCSR) / 4] = ~0u;
#endif
    cf_m_leave();
}

int cf_arch_call(uintptr_t entry, void *data, struct cf_call *call) {
    const struct cf_pin_code *const around = cf_m_around.lists;

    cf_m_mpu_code(true);
    cf_m_program.entry = entry;
    cf_m_program.call = call;
    call->start = cf_chip.clock->now();
    call->fault.kind = 0; /* it stays so where a program comes back */
    cf_m_enter(entry | 1u, data, around != NULL ? around : &cf_m_none, CONTROL_PROGRAM);
    cf_arch_irq_mask();
    cf_m_program.call = NULL;
    cf_m_around.lists = NULL;
    if (call->fault.kind == 0) {
        call->end = cf_chip.clock->now();
    }
    cf_m_mpu_code(false);
    return (int)call->fault.kind;
}
