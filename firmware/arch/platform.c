/* The platform functions of hal.h that are the same for all boards: UART, clock and memory as chip and board describe
 * them, programs as the architecture runs them. */
#include "arch/arch.h"

#include <stddef.h>

#include "chip/chip.h"
#include "core/crc32c.h"
#include "core/version.h"
#include "hal/board.h"

/* Timer interrupts and wake-ups come late by less than this; a wait for an exact time spins for the rest. */
#define SPIN_US 50u

static struct {
    struct cf_platform description;
    struct cf_ring rx;
    volatile uint32_t overruns;
    uint32_t began; /* tick of the start */
    uint32_t baud;  /* in use */
    uint64_t alarm; /* what the timer was last armed for */
} platform;

/* Not cleared by a restart; zero after a reset. */
__attribute__((section(".noinit"))) static struct {
    struct cf_fault fault;
    uint32_t restarts;
} life;

_Noreturn void cf_platform_fatal(const struct cf_fault *fault) {
    life.fault = *fault;
    life.restarts++;
    cf_arch_restart();
}

/* Ticks in `us`, rounded up. */
static uint64_t ticks_of(uint32_t us) {
    return ((uint64_t)us * cf_chip_timer_hz() + 999999u) / 1000000u;
}

static void arm(uint64_t at) {
    platform.alarm = at;
    cf_chip_timer_arm(at);
}

const struct cf_platform *cf_hal_init(void) {
    const struct cf_board *board = &cf_board;
    const struct cf_buffers *buffers = &board->buffers;
    cf_chip_timer_disarm();
    cf_chip_init();
    const uint32_t divisor = cf_chip.uart->divisor(board->uart_clock_hz, board->bauds[0]);
    if (divisor == 0) {
        cf_arch_restart(); /* a wrong board.c: nobody could be told */
    }
    platform.rx = (struct cf_ring){.bytes = buffers->queue, .size = buffers->queue_size};
    cf_chip.uart->start(cf_chip.uart_base, divisor);
    platform.baud = board->bauds[0];
    platform.began = (uint32_t)cf_chip_timer_now();
    platform.description = (struct cf_platform){
        .board = board->name,
        .firmware = "copaflash " CF_FIRMWARE_VERSION,
        .arch = cf_arch.code,
        .features = cf_arch.features,
        .code_write = cf_arch_code_view(board->code.start),
        .code_exec = board->code.start,
        .capacity[CF_CAPACITY_CODE] = board->code.size,
        .data = (uint8_t *)board->data.start,
        .capacity[CF_CAPACITY_DATA] = board->data.size,
        .samples = (uint32_t *)board->samples.start,
        .capacity[CF_CAPACITY_SAMPLES] = board->samples.size / 4u,
        .rx_packet = buffers->rx_packet,
        .tx_packet = buffers->tx_packet,
        .capacity[CF_CAPACITY_PACKET] = buffers->max_packet,
        .capacity[CF_CAPACITY_WINDOW] = buffers->queue_size / 2u,
        .bauds = board->bauds,
        .baud_count = board->baud_count,
        .services = cf_arch.services,
        .service_count = cf_arch.service_count,
    };
    cf_arch_irq_unmask();
    return &platform.description;
}

bool cf_platform_interrupt(void) {
    bool expired = false;
    for (;;) {
        const struct cf_irq_claim claim = cf_chip_irq_claim();
        if (claim.source == CF_IRQ_NONE) {
            return expired;
        }
        if (claim.source == CF_IRQ_UART) {
            platform.overruns += cf_chip.uart->interrupt(cf_chip.uart_base, &platform.rx);
        } else if (claim.source == CF_IRQ_TIMER) {
            cf_chip_timer_disarm();
            if (cf_chip_timer_now() >= platform.alarm) {
                expired = true;
            } else {
                cf_chip_timer_arm(platform.alarm);
            }
        }
        cf_chip_irq_complete(claim);
    }
}

uint32_t cf_hal_rx(uint8_t *dst, uint32_t cap) {
    return cf_ring_take(&platform.rx, dst, cap);
}

void cf_hal_tx(const uint8_t *src, uint32_t len) {
    cf_chip.uart->send(cf_chip.uart_base, src, len);
}

uint64_t cf_hal_ticks(void) {
    return cf_chip_timer_now();
}

int cf_hal_wait(uint64_t deadline) {
    /* Sleep ends for an interrupt that is pending while masked: between the check and the sleep none gets lost. */
    cf_arch_irq_mask();
    if (cf_ring_empty(&platform.rx) && cf_chip_timer_now() < deadline) {
        if (deadline != UINT64_MAX) {
            arm(deadline);
        }
        cf_arch_sleep();
    }
    cf_arch_irq_unmask();
    cf_chip_timer_disarm();
    return 0;
}

void cf_hal_until(uint64_t at) {
    const uint64_t spin = ticks_of(SPIN_US);
    const uint64_t wake = at > spin ? at - spin : 0;
    while (cf_chip_timer_now() < wake) {
        cf_arch_irq_mask();
        arm(wake);
        cf_arch_sleep();
        cf_arch_irq_unmask();
    }
    cf_chip_timer_disarm();
    while (cf_chip_timer_now() < at) {
    }
}

int cf_hal_call(uintptr_t entry, void *data, uint64_t limit, struct cf_call *call) {
    cf_arch_irq_mask();
    arm(cf_chip_timer_now() + limit);
    const int kind = cf_arch_call(entry, data, call);
    cf_chip_timer_disarm();
    cf_arch_irq_unmask();
    return kind;
}

/* Bits of a character, and some more. */
#define CHARACTER_BITS 12u

int cf_hal_set_baud(uint32_t baud) {
    const uint32_t divisor = cf_chip.uart->divisor(cf_board.uart_clock_hz, baud);
    if (divisor == 0) {
        return -1;
    }
    cf_chip.uart->flush(cf_chip.uart_base);
    /* Not every UART can tell when its last byte is out. */
    cf_hal_until(cf_chip_timer_now() + cf_chip_timer_hz() / (platform.baud / CHARACTER_BITS) + 1u);
    /* Starting empties the FIFO, and a few bytes in it may not have raised an interrupt yet. */
    cf_arch_irq_mask();
    platform.overruns += cf_chip.uart->interrupt(cf_chip.uart_base, &platform.rx);
    cf_chip.uart->start(cf_chip.uart_base, divisor);
    cf_arch_irq_unmask();
    platform.baud = baud;
    return 0;
}

uint32_t cf_hal_timer_hz(void) {
    return cf_chip_timer_hz();
}

const struct cf_fault *cf_hal_boot_fault(void) {
    return life.restarts != 0 ? &life.fault : NULL;
}

uint32_t cf_hal_overruns(void) {
    return platform.overruns;
}

/* Checksums of as many words differ if one word does: where RAM keeps its content over a reset, the count is that one. */
uint32_t cf_hal_nonce(void) {
    __attribute__((section(".retained"))) static uint32_t starts;
    const uint32_t words[] = {
        ++starts, platform.began, (uint32_t)cf_chip_timer_now(), cf_chip.noise != NULL ? cf_chip.noise() : 0,
    };

    return cf_crc32c((const uint8_t *)words, sizeof words);
}
