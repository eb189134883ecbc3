/* RP2040: addresses from its datasheet, 2.2, 2.3.2 (interrupts), 2.14.3 (resets) and 2.17 (ring oscillator). */
#include "arch/cortex-m/devices.h"
#include "drivers/noise.h"
#include "platform/chip.h"

#define UART0 0x40034000u
#define UART0_IRQ 20

#define ROSC_RANDOMBIT 0x4006001cu

#define ROSC_TURNS 1000u

uint32_t cf_chip_noise(void) {
    return cf_noise(ROSC_RANDOMBIT, ROSC_TURNS);
}

CF_VECTORS(UART0_IRQ, UART0_IRQ);

#define WATCHDOG 0x40058000u
#define WATCHDOG_TICK (WATCHDOG + 0x2cu)
#define WATCHDOG_TICK_ON (1u << 9)
#define PSM_WDSEL 0x40010008u
#define PSM_ALL 0x1fffcu

/* It goes down by 2 at each tick (erratum RP2040-E1). */
static const struct cf_watchdog watchdog =
    CF_RP2_WATCHDOG(WATCHDOG, 2000u, PSM_WDSEL, PSM_ALL, CF_WRITE(WATCHDOG_TICK, WATCHDOG_TICK_ON | 12u));

/* From 1 MiB on, of 2 on a Pico: more than fits its RAM. The time is that of a W25Q16JV. */
const struct cf_store_memory cf_hal_store_memory = {
    .length = 0x40000,
    .page = 4096,
    .unit = 256,
    .erase_ms = 400,
    .slots = (const uint8_t *)(uintptr_t)0x10100000u,
    .first = 256,
};

const struct cf_chip cf_chip = {
    .uart = &cf_pl011,
    .uart_base = UART0,
    .uart_irq = UART0_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = CF_M_GUARD_FIFO,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
    .flash = &cf_rp2_flash,
};

#define RP2_CLOCKS 0x40008000u
#define RP2_RESETS 0x4000c000u
#define RP2_XOSC 0x40024000u
#define RP2_PLL 0x40028000u
#define RP2_IO 0x40014000u
#define RP2_PADS 0x4001c000u
#define RP2_RESET_IO (1u << 5)
#define RP2_RESET_PADS (1u << 8)
#define RP2_RESET_PLL (1u << 12)
#define RP2_RESET_UART (1u << 22)
#define RP2_DIVIDE_1 6u /* 125 MHz */
#define RP2_DIVIDE_2 2u
#define RP2_RING_HZ 6500000u

#include "drivers/rp2.h"
