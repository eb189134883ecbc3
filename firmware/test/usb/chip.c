/* Resets (RP2040 datasheet, 2.14; RP2350 datasheet, 7.5), clocks (2.15; 8.1), PLLs (2.18; 8.6), crystal (2.16; 8.2), the number of the board
 * (flash memory behind 4.10; 13.9), enabling interrupts (Armv6-M, B3.4). */
#include "test/usb/model.h"

#define CRYSTAL_HZ 12000000u

#ifdef RP2350
#define RESETS 0x40020000u
#define CLOCKS 0x40010000u
#define USB_CTRL 0x60u
#define XOSC 0x40048000u
#define PLL_SYS 0x40050000u
#define PLL_USB 0x40058000u
#define RESET_ALL 0x1fffffffu
#define RESET_USB (1u << 28)
#define RESET_PLL_SYS (1u << 14)
#define RESET_PLL_USB (1u << 15)
#define UART_RESET (1u << 26)
#define OTP 0x40130000u
#else
#define RESETS 0x4000c000u
#define CLOCKS 0x40008000u
#define USB_CTRL 0x54u
#define XOSC 0x40024000u
#define PLL_SYS 0x40028000u
#define PLL_USB 0x4002c000u
#define RESET_ALL 0x01ffffffu
#define RESET_USB (1u << 24)
#define RESET_PLL_SYS (1u << 12)
#define RESET_PLL_USB (1u << 13)
#define UART_RESET (1u << 22)
#define SSI 0x18000000u
#endif

#define ON (1u << 11)

const uint8_t chip_number[8] = {0xe6, 0x60, 0x38, 0xb7, 0x13, 0x5a, 0x2f, 0x01};

struct pll {
    uint32_t cs, pwr, fbdiv, prim;
};

static struct {
    uint32_t held; /* in reset */
    uint32_t ref, sys, usb;
    uint32_t crystal;
    struct pll pll_sys, pll_usb;
    uint32_t ssi_on, ssi_mode, ssi_baud, sent, read;
    uint8_t line[32];
} c;

static const struct pll fresh = {1, 0x2d, 0, 0x77000};

void chip_power_up(void) {
    memset(&c, 0, sizeof c);
    c.held = RESET_ALL;
    c.pll_sys = c.pll_usb = fresh;
    c.ssi_on = 1;
    c.ssi_mode = 0x001f0300;
    c.ssi_baud = 4;
    controller_reset();
}

static uint64_t vco(const struct pll *p) {
    return (uint64_t)CRYSTAL_HZ / (p->cs & 63u) * p->fbdiv;
}

static bool locked(const struct pll *p, uint32_t reset) {
    return (c.held & reset) == 0 && c.crystal != 0 && (p->pwr & 0x21u) == 0 && vco(p) >= 750000000u && vco(p) <= 1600000000u;
}

static uint64_t pll_hz(const struct pll *p, uint32_t reset) {
    const uint32_t one = p->prim >> 16 & 7u, two = p->prim >> 12 & 7u;
    return locked(p, reset) && (p->pwr & 8u) == 0 ? vco(p) / (one * two) : 0;
}

static bool usb_clock(void) {
    return (c.usb & ON) != 0 && pll_hz(&c.pll_usb, RESET_PLL_USB) == 48000000u;
}

bool chip_clocks_usb(void) {
    return usb_clock() && (c.held & RESET_USB) == 0;
}

static uint32_t pll_read(const struct pll *p, uint32_t reset, uint32_t offset) {
    return offset == 0 ? p->cs | (locked(p, reset) ? 1u << 31 : 0) : offset == 4 ? p->pwr : offset == 8 ? p->fbdiv : p->prim;
}

static void pll_write(struct pll *p, uint32_t reset, uint32_t offset, uint32_t value, bool used) {
    static const uint32_t bits[] = {0x13fu, 0x2du, 0xfffu, 0x77000u};
    if ((c.held & reset) != 0) {
        refuse("a PLL in reset", offset);
    }
    if (offset > 12 || (value & ~bits[offset / 4]) != 0) {
        refuse("reserved bits of a PLL", value);
    }
    if (used && offset != 0) {
        refuse("a change of a PLL that is in use", offset);
    }
    if (offset == 0 && (value & 63u) == 0) {
        refuse("a divider of 0", value);
    }
    if (offset == 8 && (value < 16 || value > 320)) {
        refuse("FBDIV", value);
    }
    if (offset == 12) {
        const uint32_t one = value >> 16 & 7u, two = value >> 12 & 7u;
        if (one == 0 || two == 0 || two > one) {
            refuse("dividers of a PLL", value);
        }
    }
    *(offset == 0 ? &p->cs : offset == 4 ? &p->pwr : offset == 8 ? &p->fbdiv : &p->prim) = value;
}

static void resets_write(uint32_t offset, uint32_t value) {
    const uint32_t before = c.held;
    if (((offset & 0xfffu) != 0 && (offset & 0xfffu) != 4) || (value & ~RESET_ALL) != 0) {
        refuse("reserved bits of RESETS", value);
    }
    c.held = offset >> 12 == 2 ? c.held | value : offset >> 12 == 3 ? c.held & ~value : value;
    if ((c.held & RESET_PLL_SYS) != 0) {
        if ((c.sys & 1u) != 0) {
            refuse("a reset of the PLL that the processor's clock comes from", c.sys);
        }
        c.pll_sys = fresh;
    }
    if ((c.held & RESET_PLL_USB) != 0) {
        c.pll_usb = fresh;
    }
    if ((c.held & ~before & RESET_USB) != 0) {
        controller_reset();
    }
    if ((before & ~c.held & RESET_USB) != 0 && !usb_clock()) {
        refuse("the end of the controller's reset without its clock", value);
    }
}

static void clocks_write(uint32_t offset, uint32_t value) {
    if (offset == USB_CTRL) {
        if ((value & ~(0x00130ce0u)) != 0) {
            refuse("reserved bits of CLK_USB_CTRL", value);
        }
        if ((c.usb & ON) != 0 && ((c.usb ^ value) & 0xe0u) != 0) {
            refuse("another source for a clock that is on", value);
        }
        if ((value & 0xe0u) != 0) {
            refuse("a source that is no PLL of USB's", value);
        }
        c.usb = value;
    } else if (offset == 0x30) {
        c.ref = value;
    } else if (offset == 0x3c) {
        if ((value & 1u) != 0 && !locked(&c.pll_sys, RESET_PLL_SYS)) {
            refuse("a PLL that has not locked", value);
        }
        c.sys = value;
    }
}

#ifndef RP2350
/* Flash memory answers to bytes on one line while its interface sends them. */
static void ssi_write(uint32_t offset, uint32_t value) {
    if ((offset == 0 || offset == 0x14) && c.ssi_on != 0) {
        refuse("a change of an interface that is on", offset);
    }
    if (offset == 0) {
        c.ssi_mode = value;
    } else if (offset == 0x14) {
        if (value < 4 || value % 2 != 0) {
            refuse("a rate that flash memory cannot follow", value);
        }
        c.ssi_baud = value;
    } else if (offset == 8) {
        c.ssi_on = value;
        c.sent = c.read = 0;
    } else if (offset == 0x60) {
        if (c.ssi_on == 0 || c.ssi_mode != 0x00070000u || c.ssi_baud < 32 || c.sent == 16) {
            refuse("bytes that do not go out together", value);
        }
        c.line[c.sent++] = (uint8_t)value;
    } else {
        refuse("a register of the serial interface", offset);
    }
}

static uint32_t ssi_read(uint32_t offset) {
    if (offset == 0x28) {
        return 6;
    }
    if (offset != 0x60 || c.read >= c.sent) {
        refuse("a read of nothing from the serial interface", offset);
    }
    const uint32_t at = c.read++;
    return c.line[0] == 0x4b && at >= 5 && at < 13 ? chip_number[at - 5] : 0xff;
}
#endif

uint32_t chip_read(uintptr_t address) {
    const uint32_t at = (uint32_t)address;
    if (at - PLL_SYS < 16) {
        return pll_read(&c.pll_sys, RESET_PLL_SYS, at - PLL_SYS);
    }
    if (at - PLL_USB < 16) {
        return pll_read(&c.pll_usb, RESET_PLL_USB, at - PLL_USB);
    }
    if (at == RESETS + 8) {
        return ~c.held & RESET_ALL & ~(usb_clock() ? 0 : RESET_USB);
    }
    if (at == XOSC + 4) {
        return c.crystal != 0 ? 1u << 31 : 0;
    }
    if (at == CLOCKS + 0x38) {
        return 1u << (c.ref & 3u);
    }
    if (at == CLOCKS + 0x44) {
        return 1u << (c.sys & 1u);
    }
#ifdef RP2350
    if (at - OTP < 8) {
        const uint8_t *const low = chip_number + (at == OTP ? 7 : 3);
        return (uint32_t)low[0] | (uint32_t)low[-1] << 8 | (uint32_t)low[-2] << 16 | (uint32_t)low[-3] << 24;
    }
#else
    if (at - SSI < 0x100) {
        return ssi_read(at - SSI);
    }
#endif
    refuse("a read where there is nothing", at);
}

void chip_write(uintptr_t address, uint32_t value) {
    const uint32_t at = (uint32_t)address;
    if (at - PLL_SYS < 0x1000) {
        pll_write(&c.pll_sys, RESET_PLL_SYS, at - PLL_SYS, value, (c.sys & 1u) != 0);
    } else if (at - PLL_USB < 0x1000) {
        pll_write(&c.pll_usb, RESET_PLL_USB, at - PLL_USB, value, (c.usb & ON) != 0);
    } else if (at - RESETS < 0x4000) {
        resets_write(at - RESETS, value);
    } else if (at - CLOCKS < 0x1000) {
        clocks_write(at - CLOCKS, value);
    } else if (at == XOSC) {
        c.crystal = value == 0xfabaa0u;
#ifndef RP2350
    } else if (at - SSI < 0x100) {
        ssi_write(at - SSI, value);
#endif
    } else if (at >> 24 != 0x40) {
        refuse("a write where there is nothing", at);
    }
}
