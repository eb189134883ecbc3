/* The platform functions of hal.h for microcontrollers with a Cortex-M core. */
#include "arch/cortex-m/cortex_m.h"

#include <stddef.h>

#include "arch/cortex-m/registers.h"
#include "core/codes_gen.h"
#include "core/crc32c.h"
#include "core/version.h"
#include "hal/hal.h"
#include "hal/mcu.h"
#include "services/services.h"

extern uint8_t cf_bss_start[], cf_bss_end[];
extern const uint8_t cf_m_start[], cf_m_gate[], cf_runner_guard[];

static struct {
    uint32_t timer_hz;
    struct cf_ring rx;
    volatile uint32_t overruns;
    uint32_t uart_hz;
    bool in_program;
    uintptr_t entry; /* of the program */
    struct cf_call *call;
} platform;

int main(void);

_Noreturn void cf_m_reset(void) {
    /* Not with memset: nothing may be kept on the stack over it, and .noinit follows. */
    for (uint32_t *word = (uint32_t *)(void *)cf_bss_start; word < (uint32_t *)(void *)cf_bss_end; word++) {
        *word = 0;
    }
#ifdef CF_FPSCR
    cf_mmio_write(CPACR, CPACR_FPU);
    cf_m_barrier();
    cf_mmio_write(FPCCR, 0); /* exceptions push no floating-point registers */
#endif
#ifndef __ARM_ARCH_6M__
    cf_mmio_write(CCR, CCR_DIV_0_TRP | CCR_STKALIGN);
    cf_mmio_write(SHCSR, SHCSR_FAULTS);
#endif
#if __ARM_ARCH >= 8
    __asm__ volatile("msr msplim, %0" : : "r"(cf_runner_guard));
#endif
    cf_m_mpu_init();
    cf_m_caches_on();
    (void)main();
    for (;;) { /* main does not return */
    }
}

static void enable_irq(uint32_t number) {
    cf_mmio_write(NVIC_ISER + number / 32u * 4u, 1u << (number & 31u));
}

const struct cf_platform *cf_hal_init(void) {
    const struct cf_mcu_rates rates = cf_chip_init();
    platform.timer_hz = rates.clock_hz;
    platform.rx.bytes = cf_board.ring;
    platform.rx.size = cf_board.ring_size;
    platform.uart_hz = rates.uart_hz;
    cf_chip.clock->start();
    cf_chip.uart->start(cf_chip.uart_base, cf_chip.uart->divisor(rates.uart_hz, cf_board.platform.bauds[0]));
    enable_irq(cf_chip.uart_irq);
    if (cf_chip.clock_irq != CF_NO_IRQ) {
        enable_irq((uint32_t)cf_chip.clock_irq);
    }
    cf_m_unmask();
    return &cf_board.platform;
}

/* Ends the program. What it did wrong while it was being interrupted must not come up in the next one. */
static _Noreturn void leave(void) {
    platform.in_program = false; /* the alarm may come yet */
#ifndef __ARM_ARCH_6M__
    cf_mmio_write(SHCSR, cf_mmio_read(SHCSR) & ~(uint32_t)SHCSR_PENDED);
    cf_mmio_write(CFSR, ~0u);
#endif
    cf_m_leave();
}

/* Interrupts come one at a time. Those of a run end it, or only move bytes. */
void cf_mcu_interrupt(void) {
    const bool of_program = ((uintptr_t)__builtin_return_address(0) & EXC_RETURN_PSP) != 0;
    const uint32_t number = cf_m_exception();
    if (number == EXCEPTION_IRQ0 + cf_chip.uart_irq) {
        platform.overruns += cf_chip.uart->interrupt(cf_chip.uart_base, &platform.rx);
        return;
    }
    if (!cf_chip.clock->interrupt() || !platform.in_program) {
        return;
    }
    struct cf_fault *fault = &platform.call->fault;
    platform.call->end = cf_chip.clock->now();
    *fault = (struct cf_fault){.kind = CF_FAULT_TIME_LIMIT, .pc = platform.entry};
    if (of_program) { /* else it is still at the gate */
        const uintptr_t sp = cf_m_psp();
        const struct cf_m_frame *frame = cf_m_program_frame(sp);
        if (frame == NULL) {
            cf_m_classify(sp, NULL, NULL, fault); /* the interrupt has found what no fault has yet */
        } else if (frame->pc - (uintptr_t)cf_m_start >= (uintptr_t)(cf_m_gate - cf_m_start)) {
            fault->pc = frame->pc;
        }
    }
    leave();
}

_Noreturn void cf_m_trap(const struct cf_m_registers *high) {
    platform.call->end = cf_chip.clock->now();
    const uintptr_t sp = cf_m_psp();
    const struct cf_m_frame *frame = cf_m_program_frame(sp);
    platform.call->fault.kind = 0;
    if (cf_m_exception() != EXCEPTION_SVC || frame == NULL || frame->pc != (uintptr_t)cf_m_gate + 2u) {
        cf_m_classify(sp, frame, high, &platform.call->fault);
    }
    leave();
}

int cf_hal_call(uintptr_t entry, void *data, uint64_t limit, struct cf_call *call) {
    cf_m_mask();
    cf_m_mpu_code(true);
    platform.entry = entry;
    platform.call = call;
    platform.in_program = true;
    cf_chip.clock->alarm(cf_chip.clock->now() + limit);
    call->start = cf_chip.clock->now();
    cf_m_enter(entry | 1u, data);
    cf_m_mask();
    cf_chip.clock->alarm(CF_CLOCK_NEVER);
    cf_m_mpu_code(false);
    cf_m_unmask();
    return (int)call->fault.kind;
}

uint64_t cf_hal_ticks(void) {
    cf_m_mask();
    const uint64_t now = cf_chip.clock->now();
    cf_m_unmask();
    return now;
}

uint32_t cf_hal_rx(uint8_t *dst, uint32_t cap) {
    return cf_ring_take(&platform.rx, dst, cap);
}

void cf_hal_tx(const uint8_t *src, uint32_t len) {
    cf_chip.uart->send(cf_chip.uart_base, src, len);
}

int cf_hal_wait(uint64_t deadline) {
    /* WFI wakes up for a pending interrupt even while it is masked; between the check and the sleep none gets lost. */
    cf_m_mask();
    if (cf_ring_empty(&platform.rx) && cf_chip.clock->now() < deadline) {
        cf_chip.clock->alarm(deadline);
        __asm__ volatile("dsb\n\twfi" : : : "memory");
        cf_chip.clock->alarm(CF_CLOCK_NEVER);
    }
    cf_m_unmask();
    return 0;
}

/* Awake, since a sleep would cost the clock some ticks. */
void cf_hal_until(uint64_t at) {
    while (cf_hal_ticks() < at) {
    }
}

/* Not every UART can tell when its last byte is out: 1/2^LAST_BYTE_SHIFT s, 2 ms, is a character and a half at 9600 baud. */
#define LAST_BYTE_SHIFT 9

int cf_hal_set_baud(uint32_t baud) {
    const uint32_t divisor = cf_chip.uart->divisor(platform.uart_hz, baud);
    if (divisor == 0) {
        return -1;
    }
    cf_chip.uart->flush(cf_chip.uart_base);
    cf_hal_until(cf_hal_ticks() + (platform.timer_hz >> LAST_BYTE_SHIFT));
    cf_chip.uart->start(cf_chip.uart_base, divisor);
    return 0;
}

uint32_t cf_hal_timer_hz(void) {
    return platform.timer_hz;
}

uint32_t cf_hal_overruns(void) {
    return platform.overruns;
}

/* Bytes of RAM whose content at power-up goes into the nonce: of a thousand cells some tens fall either way. */
#define NOISE_BYTES 512

__attribute__((weak)) uint32_t cf_chip_noise(void) {
    return cf_crc32c(cf_program_data_start, NOISE_BYTES);
}

/* After power-up the time and the chip's noise, or that of its RAM where there is none, tell starts apart. After a reset the sum
 * goes on from the last one, even if both are as they were then. */
uint32_t cf_hal_nonce(void) {
    __attribute__((section(".noinit"))) static uint32_t nonce;

    nonce += (uint32_t)cf_hal_ticks() + cf_chip_noise();
    return nonce;
}
