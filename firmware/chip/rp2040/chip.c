/* RP2040: addresses from its datasheet, 2.2, 2.3.2 (interrupts), 2.14.3 (resets) and 2.17 (ring oscillator). */
#include "arch/cortex-m/devices.h"
#include "drivers/mmio.h"
#include "drivers/noise.h"
#include "drivers/rp2_usb.h"
#include "platform/board.h"
#include "platform/chip.h"

#define UART0 0x40034000u
#define UART0_IRQ 20

#define ROSC_RANDOMBIT 0x4006001cu

#define ROSC_TURNS 1000u

uint32_t cf_chip_noise(void) {
    return cf_noise(ROSC_RANDOMBIT, ROSC_TURNS);
}

#define RP2_USB_IRQ 5

CF_VECTORS(RP2_USB_IRQ, UART0_IRQ);

/* Of the SDK's serial port over USB on this chip, whose PID others may use: what tells us apart is the name of the product. */
const uint16_t cf_usb_product = 0x000a;

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

/* The chip has no number; that of its flash memory is asked for as W25Q16JV has it (command 4Bh, four bytes that say nothing, eight of the
 * number), byte by byte and slowly, so that the queue of the serial interface (4.10.13) does not run empty, which would end the command. */
#define SSI 0x18000000u
#define SSI_CTRLR0 SSI
#define SSI_ENABLE (SSI + 0x8u)
#define SSI_BAUD (SSI + 0x14u)
#define SSI_STATUS (SSI + 0x28u)
#define SSI_BUSY 1u
#define SSI_SENT (1u << 2)
#define SSI_DATA (SSI + 0x60u)
#define SSI_SLOWLY 64u
#define SSI_BYTES 0x00070000u
#define SSI_READING 0x001f0300u /* as boot.S has it, with the next one */
#define SSI_READING_BAUD 4u
#define ASK_NUMBER 0x4bu
#define ANY CF_WRITE(SSI_DATA, 0)

CF_USB_DATA static const struct cf_step ask_number[] = {
    CF_WRITE(SSI_ENABLE, 0), CF_WRITE(SSI_BAUD, SSI_SLOWLY), CF_WRITE(SSI_CTRLR0, SSI_BYTES), CF_WRITE(SSI_ENABLE, 1),
    CF_WRITE(SSI_DATA, ASK_NUMBER), ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY,
    CF_AWAIT_ONES(SSI_STATUS, SSI_SENT), CF_AWAIT_ZEROS(SSI_STATUS, SSI_BUSY), CF_END,
};

CF_USB_DATA static const struct cf_step read_again[] = {
    CF_WRITE(SSI_ENABLE, 0), CF_WRITE(SSI_BAUD, SSI_READING_BAUD), CF_WRITE(SSI_CTRLR0, SSI_READING), CF_WRITE(SSI_ENABLE, 1), CF_END,
};

CF_BUFFER static uint8_t serial[8];

CF_USB_CODE static void read_serial(void) {
    (void)cf_steps(ask_number, 0);
    for (uint32_t i = 0; i < 13u; i++) {
        const uint32_t byte = cf_mmio_read(SSI_DATA);
        if (i >= 5u) {
            serial[i - 5u] = (uint8_t)byte;
        }
    }
    (void)cf_steps(read_again, 0);
}

const uint8_t *cf_chip_serial(void) {
    return serial;
}

#define RP2_CLOCKS 0x40008000u
#define RP2_RESETS 0x4000c000u
#define RP2_XOSC 0x40024000u
#define RP2_PLL 0x40028000u
#define RP2_PLL_USB 0x4002c000u
#define RP2_USB_CTRL 0x54u
#define RP2_IO 0x40014000u
#define RP2_PADS 0x4001c000u
#define RP2_RESET_IO (1u << 5)
#define RP2_RESET_PADS (1u << 8)
#define RP2_RESET_PLL (1u << 12)
#define RP2_RESET_PLL_USB (1u << 13)
#define RP2_RESET_USB (1u << 24)
#define RP2_RESET_UART (1u << 22)
#define RP2_DIVIDE_1 6u /* 125 MHz */
#define RP2_DIVIDE_2 2u
#define RP2_RING_HZ 6500000u

#include "drivers/rp2.h"
