/* RP2350: addresses from its datasheet, 2.2, 3.2 (interrupts), 7.5.3 (resets) and 8.3 (ring oscillator). */
#include "arch/cortex-m/devices.h"
#include "drivers/noise.h"
#include "drivers/rp2.h"
#include "platform/chip.h"

#define UART0 0x40070000u
#define UART0_IRQ 33

#define ROSC_RANDOMBIT 0x400e8020u

#define ROSC_TURNS 1000u

uint32_t cf_chip_noise(void) {
    return cf_noise(ROSC_RANDOMBIT, ROSC_TURNS);
}

CF_VECTORS(UART0_IRQ, UART0_IRQ);

#define WATCHDOG 0x400d8000u
#define TICKS_WATCHDOG_CTRL 0x40108030u
#define TICKS_WATCHDOG_CYCLES 0x40108034u
#define PSM_WDSEL 0x40018008u
#define PSM_ALL 0x1fffff3u

static const struct cf_watchdog watchdog =
    CF_RP2_WATCHDOG(WATCHDOG, 1000u, PSM_WDSEL, PSM_ALL, TICKS_WATCHDOG_CYCLES, 12u, TICKS_WATCHDOG_CTRL, 1u);

const struct cf_chip cf_chip = {
    .uart = &cf_pl011,
    .uart_base = UART0,
    .uart_irq = UART0_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = CF_M_GUARD_FIFO,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
};

struct cf_rates cf_chip_init(void) {
    static const struct cf_rp2 chip = {
        .clocks = 0x40010000u,
        .resets = 0x40020000u,
        .xosc = 0x40048000u,
        .pll = 0x40050000u,
        .io = 0x40028000u,
        .pads = 0x40038000u,
        .reset_io = 1u << 6,
        .reset_pads = 1u << 9,
        .reset_pll = 1u << 14,
        .reset_uart = 1u << 26,
        .ring_hz = 11000000,
        .divide = {5, 2}, /* 150 MHz */
    };
    return cf_rp2_init(&chip);
}
