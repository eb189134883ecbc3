/* The platform functions of hal.h for AArch64 boards: PL011, generic timer, programs at EL0. */
#include "arch/aarch64/aarch64.h"

#include "chip/chip.h"
#include "core/codes_gen.h"
#include "core/version.h"
#include "hal/board.h"
#include "hal/generic_timer.h"
#include "hal/hal.h"
#include "hal/pl011.h"

#define MAX_PACKET 4096u
#define WINDOW (CF_RING_SIZE / 2u) /* the rest is room for repeats and garbage */

/* Timer interrupts and wake-ups come late by less than this; a wait for an exact time spins for the rest. */
#define SPIN_US 50u

#define ESR_SVC 0x56000000u /* SVC #0 */

extern uint8_t cf_a64_gate[];

static struct {
    struct cf_platform description;
    struct cf_pl011 uart;
    uint32_t nonce;
    _Alignas(4) uint8_t rx_packet[MAX_PACKET];
    _Alignas(4) uint8_t tx_packet[MAX_PACKET];
} platform;

/* Ticks in `us`, rounded up. */
static uint64_t ticks_of(uint32_t us) {
    return ((uint64_t)us * platform.description.timer_hz + 999999u) / 1000000u;
}

const struct cf_platform *cf_hal_init(void) {
    const struct cf_board *board = &cf_board;
    cf_timer_disarm();
    cf_chip_init();
    if (cf_pl011_init(&platform.uart, cf_chip.uart, board->uart_clock_hz, board->bauds[0]) != 0) {
        cf_a64_restart(); /* a wrong board.c: nobody could be told */
    }
    const uint64_t now = cf_timer_now();
    platform.nonce = (uint32_t)(now ^ now >> 32) * 2654435761u + cf_a64_restarts();
    platform.description = (struct cf_platform){
        .board = board->name,
        .firmware = "copaflash " CF_FIRMWARE_VERSION,
        .arch = CF_ARCH_AARCH64,
        .features = CF_FEAT_NEON,
        .code_write = cf_a64_code_view(board->code.start),
        .code_exec = board->code.start,
        .code_size = board->code.size,
        .data = (uint8_t *)board->data.start,
        .data_size = board->data.size,
        .samples = (uint32_t *)board->samples.start,
        .sample_capacity = board->samples.size / 4u,
        .rx_packet = platform.rx_packet,
        .tx_packet = platform.tx_packet,
        .max_packet = MAX_PACKET,
        .window = WINDOW,
        .bauds = board->bauds,
        .baud_count = board->baud_count,
        .timer_hz = cf_timer_hz(),
        .boot_fault = cf_a64_last_words(),
    };
    cf_a64_irq_unmask();
    return &platform.description;
}

/* Returns true if the program that was interrupted has used up its time. */
bool cf_a64_interrupt(void) {
    bool expired = false;
    for (;;) {
        const struct cf_irq_claim claim = cf_chip_irq_claim();
        if (claim.source == CF_IRQ_NONE) {
            return expired;
        }
        if (claim.source == CF_IRQ_UART) {
            cf_pl011_interrupt(&platform.uart);
        } else if (claim.source == CF_IRQ_TIMER) {
            cf_timer_disarm();
            expired = true;
        }
        cf_chip_irq_complete(claim);
    }
}

uint32_t cf_hal_rx(uint8_t *dst, uint32_t cap) {
    return cf_ring_take(&platform.uart.rx, dst, cap);
}

void cf_hal_tx(const uint8_t *src, uint32_t len) {
    cf_pl011_send(&platform.uart, src, len);
}

uint64_t cf_hal_ticks(void) {
    return cf_timer_now();
}

int cf_hal_wait(uint64_t deadline) {
    /* WFI wakes up for a pending interrupt even while it is masked; between the check and the sleep none gets lost. */
    cf_a64_irq_mask();
    if (cf_ring_empty(&platform.uart.rx) && cf_timer_now() < deadline) {
        if (deadline != UINT64_MAX) {
            cf_timer_arm(deadline);
        }
        __asm__ volatile("dsb sy\n\twfi" : : : "memory");
    }
    cf_a64_irq_unmask();
    cf_timer_disarm();
    return 0;
}

void cf_hal_until(uint64_t at) {
    const uint64_t spin = ticks_of(SPIN_US);
    const uint64_t wake = at > spin ? at - spin : 0;
    while (cf_timer_now() < wake) {
        cf_a64_irq_mask();
        cf_timer_arm(wake);
        __asm__ volatile("dsb sy\n\twfi" : : : "memory");
        cf_a64_irq_unmask();
    }
    cf_timer_disarm();
    while (cf_timer_now() < at) {
    }
}

void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    uint64_t ctr;
    __asm__ volatile("mrs %0, ctr_el0" : "=r"(ctr));
    const uintptr_t data_line = (uintptr_t)4 << (ctr >> 16 & 15u);
    const uintptr_t instruction_line = (uintptr_t)4 << (ctr & 15u);
    const uintptr_t start = platform.description.code_exec + offset;
    const uintptr_t end = start + len;
    /* Data caches know lines by physical address, so cleaning at the execution address covers the alias. */
    for (uintptr_t line = start & ~(data_line - 1u); line < end; line += data_line) {
        __asm__ volatile("dc cvau, %0" : : "r"(line) : "memory");
    }
    __asm__ volatile("dsb ish" : : : "memory");
    for (uintptr_t line = start & ~(instruction_line - 1u); line < end; line += instruction_line) {
        __asm__ volatile("ic ivau, %0" : : "r"(line) : "memory");
    }
    __asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

static bool returned(const struct cf_a64_exit *exit) {
    return exit->reason == CF_A64_EXIT_SYNC && (uint32_t)exit->esr == ESR_SVC && exit->elr == (uintptr_t)cf_a64_gate + 4u;
}

int cf_hal_call(uintptr_t entry, void *data, uint32_t limit_us, struct cf_call *call) {
    struct cf_a64_exit exit;
    cf_a64_irq_mask();
    if (limit_us != 0) {
        cf_timer_arm(cf_timer_now() + ticks_of(limit_us));
    }
    cf_a64_enter(entry, data, &exit);
    cf_timer_disarm();
    cf_a64_irq_unmask();
    call->start = exit.start;
    call->end = exit.end;
    if (returned(&exit)) {
        call->fault = (struct cf_fault){0};
        return 0;
    }
    cf_a64_classify((enum cf_a64_exit_reason)exit.reason, exit.esr, exit.elr, exit.far, &call->fault);
    return (int)call->fault.kind;
}

int cf_hal_set_baud(uint32_t baud) {
    return cf_pl011_set_baud(&platform.uart, baud);
}

uint32_t cf_hal_overruns(void) {
    return platform.uart.overruns;
}

uint32_t cf_hal_nonce(void) {
    return platform.nonce;
}
