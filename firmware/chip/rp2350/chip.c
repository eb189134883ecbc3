/* RP2350: addresses from its datasheet, 2.2, 3.2 (interrupts), 7.5.3 (resets) and 8.3 (ring oscillator). */
#include "arch/cortex-m/devices.h"
#include "drivers/mmio.h"
#include "drivers/noise.h"
#include "drivers/rp2_usb.h"
#include "platform/board.h"
#include "platform/chip.h"

#define UART0 0x40070000u
#define UART0_IRQ 33

#define ROSC_RANDOMBIT 0x400e8020u

#define ROSC_TURNS 1000u

uint32_t cf_chip_noise(void) {
    return cf_noise(ROSC_RANDOMBIT, ROSC_TURNS);
}

#define RP2_USB_IRQ 14

CF_VECTORS(RP2_USB_IRQ, UART0_IRQ);

/* Of the SDK's serial port over USB on this chip, whose PID others may use: what tells us apart is the name of the product. */
const uint16_t cf_usb_product = 0x0009;

#define WATCHDOG 0x400d8000u
#define TICKS_WATCHDOG_CTRL 0x40108030u
#define TICKS_WATCHDOG_CYCLES 0x40108034u
#define PSM_WDSEL 0x40018008u
#define PSM_ALL 0x1fffff3u

static const struct cf_watchdog watchdog =
    CF_RP2_WATCHDOG(WATCHDOG, 1000u, PSM_WDSEL, PSM_ALL, CF_WRITE(TICKS_WATCHDOG_CYCLES, 12u),
                    CF_WRITE(TICKS_WATCHDOG_CTRL, 1u));

/* From 1 MiB on, of 4 on a Pico 2: as much as its RAM. The time is that of a W25Q32JV. */
const struct cf_store_memory cf_hal_store_memory = {
    .length = 0x80000,
    .page = 4096,
    .unit = 256,
    .erase_ms = 400,
    .slots = (const uint8_t *)(uintptr_t)0x10100000u,
    .first = 256,
};

const struct cf_chip cf_chip = {
    .uart = &cf_rp2_lines,
    .take = cf_rp2_take,
    .waits = cf_rp2_waits,
    .uart_base = UART0,
    .uart_irq = UART0_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = 2u * CF_M_GUARD_FIFO, /* a request of USB takes some 900 cycles, by estimate */
    .irq = &cf_nvic,
    .watchdog = &watchdog,
    .flash = &cf_rp2_flash,
};

/* The chip's number: the first four rows of 16 bits of its one-time memory, CHIPID0 to CHIPID3 (13.9), two at a time. */
#define OTP_DATA 0x40130000u

CF_BUFFER static uint8_t serial[8];

CF_USB_CODE static void read_serial(void) {
    for (uint32_t i = 0; i < sizeof serial; i++) {
        serial[i] = (uint8_t)(cf_mmio_read(OTP_DATA + (7u - i) / 4u * 4u) >> (7u - i) % 4u * 8u);
    }
}

const uint8_t *cf_chip_serial(void) {
    return serial;
}

#define RP2_CLOCKS 0x40010000u
#define RP2_RESETS 0x40020000u
#define RP2_XOSC 0x40048000u
#define RP2_PLL 0x40050000u
#define RP2_PLL_USB 0x40058000u
#define RP2_USB_CTRL 0x60u
#define RP2_IO 0x40028000u
#define RP2_PADS 0x40038000u
#define RP2_RESET_IO (1u << 6)
#define RP2_RESET_PADS (1u << 9)
#define RP2_RESET_PLL (1u << 14)
#define RP2_RESET_PLL_USB (1u << 15)
#define RP2_RESET_USB (1u << 28)
#define RP2_RESET_UART (1u << 26)
#define RP2_DIVIDE_1 5u /* 150 MHz */
#define RP2_DIVIDE_2 2u
#define RP2_RING_HZ 11000000u

#include "drivers/rp2.h"
