/*
 * Clocks and pins of the RP2 family, whose devices are the same at other addresses. Registers: RP2040 datasheet, chapters 2.14
 * to 2.19, and RP2350 datasheet, chapters 7 to 9. The chip defines before it includes this:
 *
 *   RP2_CLOCKS RP2_RESETS RP2_XOSC RP2_PLL RP2_IO RP2_PADS   addresses of the devices: of the system's PLL, and of bank 0
 *   RP2_RESET_IO RP2_RESET_PADS RP2_RESET_PLL RP2_RESET_UART bits of theirs in RESETS
 *   RP2_DIVIDE_1 RP2_DIVIDE_2                                the PLL gives 1500 MHz divided by both, 1 to 7 each, the larger one first
 *   RP2_PLL_USB RP2_RESET_PLL_USB RP2_RESET_USB RP2_USB_CTRL  the same of USB's PLL and controller; CLK_USB_CTRL in RP2_CLOCKS
 *   read_serial()                                            has cf_chip_serial tell a number that differs between boards
 *   UART0_IRQ                                                of the UART
 *   RP2_RING_HZ                                              of the ring oscillator, nominal: it runs if the crystal does not
 */
#ifndef CF_RP2_H
#define CF_RP2_H

#include "drivers/rp2_usb.h"
#include "drivers/steps.h"
#include "platform/board.h"
#include "platform/chip.h"

/* A write to a register's second or third alias sets or clears the bits that are 1 (2.1.2 and 2.1.3). */
#define RP2_SET 0x2000u
#define RP2_CLEAR 0x3000u

#define REF_CTRL (RP2_CLOCKS + 0x30u)
#define REF_SELECTED (RP2_CLOCKS + 0x38u)
#define SYS_CTRL (RP2_CLOCKS + 0x3cu)
#define SYS_SELECTED (RP2_CLOCKS + 0x44u)
#define PERI_CTRL (RP2_CLOCKS + 0x48u)
#define REF_RING 0u
#define REF_CRYSTAL 2u
#define SYS_REF 0u
#define SYS_PLL 1u
#define PERI_SYS (1u << 11) /* on, from the system's clock */

#define RESET_DONE (RP2_RESETS + 0x8u)

#define XOSC_CTRL RP2_XOSC
#define XOSC_STATUS (RP2_XOSC + 0x4u)
#define XOSC_STARTUP (RP2_XOSC + 0xcu)
#define XOSC_ON 0xfabaa0u /* 1 to 15 MHz */
#define XOSC_STABLE (1u << 31)
#define XOSC_DELAY 47u /* times 256 cycles of the crystal: 1 ms at 12 MHz */

#define PLL_CS RP2_PLL
#define PLL_PWR (RP2_PLL + 0x4u)
#define PLL_FBDIV (RP2_PLL + 0x8u)
#define PLL_PRIM (RP2_PLL + 0xcu)
#define PLL_CS_UNDIVIDED 1u /* the crystal */
#define PLL_LOCK (1u << 31)
#define PLL_PWR_OSCILLATOR 0x0cu /* on; still off: dividers (bit 3); always off: fractions (bit 2) */
#define PLL_PWR_ALL 0x04u
#define PLL_HZ 1500000000u

#define PLL_USB_CS RP2_PLL_USB
#define PLL_USB_PWR (RP2_PLL_USB + 0x4u)
#define PLL_USB_FBDIV (RP2_PLL_USB + 0x8u)
#define PLL_USB_PRIM (RP2_PLL_USB + 0xcu)
#define PLL_USB_HZ 1200000000u
#define PLL_USB_DIVIDE 5u /* twice: 48 MHz */
#define USB_CTRL (RP2_CLOCKS + RP2_USB_CTRL)
#define USB_PLL (1u << 11) /* on, from USB's PLL */

#define IO_CTRL(pin) (RP2_IO + 8u * (pin) + 4u)
#define IO_UART 2u
#define PAD(pin) (RP2_PADS + 4u * (pin) + 4u)
#define PAD_PULL_UP 0x5au /* input on, 4 mA, not isolated; an unconnected input reads as an idle line */

#define SELECT(ctrl, selected, source) CF_WRITE((ctrl), (source)), CF_AWAIT_ONES((selected), 1u << (source))

#define RESTART(devices)                                                                                               \
    CF_WRITE(RP2_RESETS + RP2_SET, (devices)), CF_WRITE(RP2_RESETS + RP2_CLEAR, (devices)),                            \
        CF_AWAIT_ONES(RESET_DONE, (devices))

/* After a warm restart the system's clock may be anything, so it goes to the ring oscillator, which always runs, before the others
 * are touched. */
static const struct cf_step to_crystal[] = {
    SELECT(SYS_CTRL, SYS_SELECTED, SYS_REF),
    SELECT(REF_CTRL, REF_SELECTED, REF_RING),
    CF_WRITE(XOSC_STARTUP, XOSC_DELAY),
    CF_WRITE(XOSC_CTRL, XOSC_ON),
    CF_AWAIT_ONES(XOSC_STATUS, XOSC_STABLE),
    RESTART(RP2_RESET_PLL),
    SELECT(REF_CTRL, REF_SELECTED, REF_CRYSTAL),
    CF_END,
};

static const struct cf_step to_pll[] = {
    CF_GIVEN(PLL_FBDIV, 0),
    CF_WRITE(PLL_CS, PLL_CS_UNDIVIDED),
    CF_WRITE(PLL_PWR, PLL_PWR_OSCILLATOR),
    CF_AWAIT_ONES(PLL_CS, PLL_LOCK),
    CF_WRITE(PLL_PRIM, RP2_DIVIDE_1 << 16 | RP2_DIVIDE_2 << 12),
    CF_WRITE(PLL_PWR, PLL_PWR_ALL),
    SELECT(SYS_CTRL, SYS_SELECTED, SYS_PLL),
    CF_END,
};

/* UART 0 on GPIO 0 and 1 (sends, receives). */
static const struct cf_step devices[] = {
    CF_WRITE(PERI_CTRL, PERI_SYS),
    RESTART(RP2_RESET_IO | RP2_RESET_PADS | RP2_RESET_UART),
    CF_WRITE(IO_CTRL(0), IO_UART),
    CF_WRITE(PAD(0), PAD_PULL_UP),
    CF_WRITE(IO_CTRL(1), IO_UART),
    CF_WRITE(PAD(1), PAD_PULL_UP),
    CF_END,
};

/* The controller comes out of its reset with its clock only. */
CF_USB_DATA static const struct cf_step usb_clock[] = {
    CF_WRITE(RP2_RESETS + RP2_SET, RP2_RESET_USB),
    CF_WRITE(USB_CTRL, 0),
    RESTART(RP2_RESET_PLL_USB),
    CF_GIVEN(PLL_USB_FBDIV, 0),
    CF_WRITE(PLL_USB_CS, PLL_CS_UNDIVIDED),
    CF_WRITE(PLL_USB_PWR, PLL_PWR_OSCILLATOR),
    CF_AWAIT_ONES(PLL_USB_CS, PLL_LOCK),
    CF_WRITE(PLL_USB_PRIM, PLL_USB_DIVIDE << 16 | PLL_USB_DIVIDE << 12),
    CF_WRITE(PLL_USB_PWR, PLL_PWR_ALL),
    CF_WRITE(USB_CTRL, USB_PLL),
    CF_WRITE(RP2_RESETS + RP2_CLEAR, RP2_RESET_USB),
    CF_AWAIT_ONES(RESET_DONE, RP2_RESET_USB),
    CF_END,
};

/* RP2040 datasheet, 4.1.3.3; RP2350 datasheet, 12.7.3.3. */
CF_USB_DATA static const struct cf_step usb_device[] = {
    CF_WRITE(CF_RP2_USB_MUXING, CF_RP2_USB_TO_PHY),
    CF_WRITE(CF_RP2_USB_PWR, CF_RP2_USB_VBUS),
    CF_WRITE(CF_RP2_USB_MAIN, CF_RP2_USB_DEVICE),
    CF_WRITE(CF_RP2_USB_INTE, CF_RP2_USB_BUFFERS | CF_RP2_USB_BUS_RESET | CF_RP2_USB_SETUP),
    CF_WRITE(CF_RP2_USB_SIE, CF_RP2_USB_EACH | CF_RP2_USB_PULL_UP),
    CF_END,
};

CF_USB_CODE static void start_usb(void) {
    if (cf_steps(usb_clock, PLL_USB_HZ / cf_board.crystal_hz)) {
        read_serial();
        cf_rp2_usb_clear();
        (void)cf_steps(usb_device, 0);
    }
}

static uint32_t start_clocks(void) {
    if (!cf_steps(to_crystal, 0)) {
        return RP2_RING_HZ;
    }
    start_usb();
    return cf_steps(to_pll, PLL_HZ / cf_board.crystal_hz) ? PLL_HZ / (RP2_DIVIDE_1 * RP2_DIVIDE_2) : cf_board.crystal_hz;
}

struct cf_rates cf_chip_init(void) {
    const uint32_t hz = start_clocks();

    (void)cf_steps(devices, 0);
    return (struct cf_rates){.clock_hz = hz, .uart_hz = hz};
}

#endif
