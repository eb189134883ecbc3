/* Registers: RP2040 datasheet, chapters 2.14 to 2.19, and RP2350 datasheet, chapters 7 to 9. */
#include "drivers/rp2.h"

#include "drivers/mmio.h"
#include "platform/board.h"

#define CLK_REF 0x30u
#define CLK_SYS 0x3cu
#define CLK_PERI 0x48u
#define CLK_CTRL 0x0u
#define CLK_SELECTED 0x8u
#define REF_RING 0u
#define REF_CRYSTAL 2u
#define SYS_REF 0u
#define SYS_PLL 1u
#define PERI_SYS (1u << 11) /* on, from the system's clock */

#define RESET 0x0u
#define RESET_DONE 0x8u

#define XOSC_CTRL 0x0u
#define XOSC_STATUS 0x4u
#define XOSC_STARTUP 0xcu
#define XOSC_ON 0xfabaa0u /* 1 to 15 MHz */
#define XOSC_STABLE (1u << 31)
#define XOSC_DELAY 47u /* times 256 cycles of the crystal: 1 ms at 12 MHz */

#define PLL_CS 0x0u
#define PLL_PWR 0x4u
#define PLL_FBDIV 0x8u
#define PLL_PRIM 0xcu
#define PLL_LOCK (1u << 31)
#define PLL_PWR_OSCILLATOR 0x0cu /* on; still off: dividers (bit 3); always off: fractions (bit 2) */
#define PLL_PWR_ALL 0x04u
#define PLL_HZ 1500000000u

#define IO_CTRL(pin) (8u * (pin) + 4u)
#define IO_UART 2u
#define PAD(pin) (4u * (pin) + 4u)
#define PAD_PULL_UP 0x5au /* input on, 4 mA, not isolated; an unconnected input reads as an idle line */

/* A crystal takes 2 ms, the PLL 0.1 ms; a turn is at least 5 cycles of the ring oscillator's 12 MHz or less. */
#define READY_TURNS 50000u

static bool ready(uintptr_t address, uint32_t bit) {
    for (uint32_t i = 0; i < READY_TURNS; i++) {
        if ((cf_mmio_read(address) & bit) != 0) {
            return true;
        }
    }
    return false;
}

static void reset(const struct cf_rp2 *chip, uint32_t devices) {
    const uint32_t others = cf_mmio_read(chip->resets + RESET) & ~devices;
    cf_mmio_write(chip->resets + RESET, others | devices);
    cf_mmio_write(chip->resets + RESET, others);
    for (uint32_t i = 0; i < READY_TURNS && (cf_mmio_read(chip->resets + RESET_DONE) & devices) != devices; i++) {
    }
}

static void select(const struct cf_rp2 *chip, uint32_t clock, uint32_t source) {
    cf_mmio_write(chip->clocks + clock + CLK_CTRL, source);
    (void)ready(chip->clocks + clock + CLK_SELECTED, 1u << source);
}

/* Returns the rate of the system's clock. After a warm restart it may be anything, so it goes to the ring oscillator,
 * which always runs, before the others are touched. */
static uint32_t start_clocks(const struct cf_rp2 *chip) {
    select(chip, CLK_SYS, SYS_REF);
    select(chip, CLK_REF, REF_RING);

    cf_mmio_write(chip->xosc + XOSC_STARTUP, XOSC_DELAY);
    cf_mmio_write(chip->xosc + XOSC_CTRL, XOSC_ON);
    if (!ready(chip->xosc + XOSC_STATUS, XOSC_STABLE)) {
        return chip->ring_hz;
    }
    select(chip, CLK_REF, REF_CRYSTAL);

    reset(chip, chip->reset_pll);
    cf_mmio_write(chip->pll + PLL_CS, 1); /* the crystal undivided */
    cf_mmio_write(chip->pll + PLL_FBDIV, PLL_HZ / cf_board.crystal_hz);
    cf_mmio_write(chip->pll + PLL_PWR, PLL_PWR_OSCILLATOR);
    if (!ready(chip->pll + PLL_CS, PLL_LOCK)) {
        return cf_board.crystal_hz;
    }
    cf_mmio_write(chip->pll + PLL_PRIM, chip->divide[0] << 16 | chip->divide[1] << 12);
    cf_mmio_write(chip->pll + PLL_PWR, PLL_PWR_ALL);
    select(chip, CLK_SYS, SYS_PLL);
    return PLL_HZ / (chip->divide[0] * chip->divide[1]);
}

struct cf_rates cf_rp2_init(const struct cf_rp2 *chip) {
    const uint32_t hz = start_clocks(chip);

    cf_mmio_write(chip->clocks + CLK_PERI + CLK_CTRL, PERI_SYS);
    reset(chip, chip->reset_io | chip->reset_pads | chip->reset_uart);
    for (uint32_t pin = 0; pin < 2u; pin++) {
        cf_mmio_write(chip->io + IO_CTRL(pin), IO_UART);
        cf_mmio_write(chip->pads + PAD(pin), PAD_PULL_UP);
    }
    return (struct cf_rates){.clock_hz = hz, .uart_hz = hz};
}
