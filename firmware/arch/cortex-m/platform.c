/* The platform functions of hal.h for microcontrollers with a Cortex-M core. */
#include "arch/cortex-m/cortex_m.h"

#include <stddef.h>

#include "arch/cortex-m/registers.h"
#include "core/codes_gen.h"
#include "core/divide.h"
#include "core/version.h"
#include "hal/hal.h"
#include "hal/mcu.h"
#include "services/services.h"

extern uint8_t cf_bss_start[], cf_bss_end[], cf_program_data_start[], cf_program_code_start[], cf_program_code_end[];
extern const uint8_t cf_m_start[], cf_m_gate[], cf_program_stack_top[], cf_runner_guard[], cf_ram_end[];

static struct {
    struct cf_platform description;
    struct cf_ring rx;
    volatile uint32_t overruns;
    uint32_t uart_hz;
    uint32_t baud; /* in use */
    uint64_t limit; /* ticks in limit_us */
    uint32_t limit_us;
    bool in_program;
    uintptr_t entry; /* of the program */
    uint64_t end;    /* of its run */
    struct cf_fault fault;
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
    const struct cf_mcu_board *board = &cf_board;
    const struct cf_mcu_rates rates = cf_chip_init();
    platform.rx = (struct cf_ring){.bytes = board->ring, .size = board->ring_size};
    platform.uart_hz = rates.uart_hz;
    cf_chip.clock->start();
    cf_chip.uart->start(cf_chip.uart_base, cf_chip.uart->divisor(rates.uart_hz, board->bauds[0]));
    platform.baud = board->bauds[0];
    enable_irq(cf_chip.uart_irq);
    if (cf_chip.clock_irq != CF_NO_IRQ) {
        enable_irq((uint32_t)cf_chip.clock_irq);
    }
    platform.description = (struct cf_platform){
        .board = board->name,
        .firmware = "copaflash " CF_FIRMWARE_VERSION,
        .arch = CF_ARCH,
        .code_write = cf_program_code_start,
        .code_exec = (uintptr_t)cf_program_code_start,
        .code_size = (uint32_t)(cf_program_code_end - cf_program_code_start),
        .data = cf_program_data_start,
        .data_size = (uint32_t)(cf_program_code_start - cf_program_data_start),
        .samples = board->samples,
        .sample_capacity = board->sample_capacity,
        .rx_packet = board->rx_packet,
        .tx_packet = board->tx_packet,
        .max_packet = board->max_packet,
        .window = board->ring_size / 2u, /* the rest is room for repeats and garbage */
        .bauds = board->bauds,
        .baud_count = board->baud_count,
        .timer_hz = rates.clock_hz,
        .boot_fault = cf_m_last_words(),
#ifdef CF_SERVICES
        .features = CF_FEAT_SOFT_FLOAT,
        .services = cf_services,
        .service_count = CF_SERVICE_COUNT,
#endif
    };
    cf_m_unmask();
    return &platform.description;
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
    platform.end = cf_chip.clock->now();
    platform.fault = (struct cf_fault){.kind = CF_FAULT_TIME_LIMIT, .pc = platform.entry};
    if (of_program) { /* else it is still at the gate */
        const uintptr_t sp = cf_m_psp();
        const struct cf_m_frame *frame = cf_m_program_frame(sp);
        if (frame == NULL) {
            cf_m_classify(sp, NULL, NULL, &platform.fault); /* the interrupt has found what no fault has yet */
        } else if (frame->pc - (uintptr_t)cf_m_start >= (uintptr_t)(cf_m_gate - cf_m_start)) {
            platform.fault.pc = frame->pc;
        }
    }
    leave();
}

_Noreturn void cf_m_trap(const uint32_t *high) {
    platform.end = cf_chip.clock->now();
    const uintptr_t sp = cf_m_psp();
    const struct cf_m_frame *frame = cf_m_program_frame(sp);
    platform.fault.kind = 0;
    if (cf_m_exception() != EXCEPTION_SVC || frame == NULL || frame->pc != (uintptr_t)cf_m_gate + 2u) {
        cf_m_classify(sp, frame, high, &platform.fault);
    }
    leave();
}

/* Ticks in the time limit, rounded up. It is the same in run after run, so only a new one is worked out. */
static uint64_t limit_ticks(uint32_t us) {
    if (us != platform.limit_us) {
        platform.limit_us = us;
        platform.limit = cf_divide((uint64_t)us * platform.description.timer_hz, 1000000u).quotient + 1u;
    }
    return platform.limit;
}

int cf_hal_call(uintptr_t entry, void *data, uint32_t limit_us, struct cf_call *call) {
    cf_m_mask();
    cf_m_mpu_code(true);
    if (limit_us != 0) {
        cf_chip.clock->alarm(cf_chip.clock->now() + limit_ticks(limit_us));
    }
    platform.entry = entry;
    platform.in_program = true;
    call->start = cf_chip.clock->now();
    cf_m_enter(entry | 1u, data);
    cf_m_mask();
    cf_chip.clock->alarm(CF_CLOCK_NEVER);
    cf_m_mpu_code(false);
    cf_m_unmask();
    call->end = platform.end;
    call->fault = platform.fault;
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

/* Bits of a character, and some more. */
#define CHARACTER_BITS 12u

int cf_hal_set_baud(uint32_t baud) {
    const uint32_t divisor = cf_chip.uart->divisor(platform.uart_hz, baud);
    if (divisor == 0) {
        return -1;
    }
    cf_chip.uart->flush(cf_chip.uart_base);
    /* Not every UART can tell when its last byte is out. */
    cf_hal_until(cf_hal_ticks() + cf_divide((uint64_t)platform.description.timer_hz * CHARACTER_BITS, platform.baud).quotient);
    cf_chip.uart->start(cf_chip.uart_base, divisor);
    platform.baud = baud;
    return 0;
}

uint32_t cf_hal_overruns(void) {
    return platform.overruns;
}

uint32_t cf_hal_nonce(void) {
    return cf_m_nonce();
}
