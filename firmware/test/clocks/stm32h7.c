/*
 * STM32H743 (RM0433): chapters FLASH (4), PWR (6), RCC (8), GPIO (11), USART (48). The registers that a runner has to do with, as they are
 * once boot.S has told what the chip is supplied by; every other access is refused.
 */
#include "platform/board.h"
#include "test/clocks/models.h"
#include "test/clocks/usart.h"

#define RCC 0x58024400u
#define PWR 0x58024800u
#define ACR 0x52002000u
#define GPIOD 0x58020c00u
#define UART 0x40004800u

#define HSION (1u << 0)
#define HSIRDY (1u << 2)
#define HSIDIV (3u << 3)
#define HSEON (1u << 16)
#define HSERDY (1u << 17)
#define HSEBYP (1u << 18)
#define PLLON (1u << 24)
#define PLLRDY (1u << 25)
#define CR_WRITABLE (HSION | HSIDIV | HSEON | HSEBYP | PLLON)
#define MHZ 1000000u
#define SCALE_1 3u

/* So many looks at a register until something is ready, in force, or has a clock. */
#define LOOKS 3u

enum { SW_HSI, SW_CSI, SW_HSE, SW_PLL };

static struct {
    uint32_t cr, cfgr, d1cfgr, d2cfgr, d3cfgr, pllckselr, pllcfgr, pll1divr, d2ccip2r, ahb4, apb1l, acr, d3cr;
    uint32_t moder, afrh;
    uint32_t hse_looks, pll_looks, pll_stops, scale_looks, acr_looks, used; /* the clock that the core has */
    bool oscillator, pll; /* are there */
    bool ahb4_seen, apb1l_seen;
} m;

static bool hse_ready(void) {
    return (m.cr & HSEON) != 0 && m.oscillator && m.hse_looks >= LOOKS;
}

static bool pll_ready(void) {
    return (m.cr & PLLON) != 0 && m.pll && m.pll_looks >= LOOKS;
}

static uint32_t hsi_hz(void) {
    return 64u * MHZ >> ((m.cr & HSIDIV) >> 3);
}

/* The output P. RM0433 8.5.5, 8.7.10 to 8.7.13; the oscillator's range with VCOSEL 0 is that of revision Y, 192 to 836 MHz. */
static uint32_t pll_hz(void) {
    const uint32_t source = m.pllckselr & 3u;
    const uint32_t divisor = m.pllckselr >> 4 & 63u;
    const uint32_t range = m.pllcfgr >> 2 & 3u;
    const uint32_t factor = (m.pll1divr & 511u) + 1u;
    const uint32_t p = (m.pll1divr >> 9 & 127u) + 1u;

    if (source == 0 ? (m.cr & HSION) == 0 : source != 2u || !hse_ready()) {
        refuse("a PLL without an input that is ready", m.pllckselr);
    }
    if (divisor == 0) {
        refuse("a PLL whose input is off", m.pllckselr);
    }
    const uint32_t input = (source == 0 ? hsi_hz() : cf_board.crystal_hz) / divisor;
    if (input < 2u * MHZ || input < MHZ << range || input > 2u * MHZ << range) {
        refuse("the input of a PLL, or the range that it is said to be in", input);
    }
    if ((m.pllcfgr & 3u) != 0 || factor < 4u || (uint64_t)input * factor < 192u * (uint64_t)MHZ || (uint64_t)input * factor > 836u * (uint64_t)MHZ) {
        refuse("the rate of a PLL's oscillator", factor);
    }
    if ((m.pllcfgr & 1u << 16) == 0 || (p != 1u && p % 2u != 0)) {
        refuse("a PLL without output, or with an odd divisor", m.pll1divr);
    }
    return input * factor / p;
}

static uint32_t source_hz(uint32_t source) {
    return source == SW_HSI ? hsi_hz() : source == SW_HSE ? cf_board.crystal_hz : pll_hz();
}

/* By a field of four bits with divisors from 8 on, or one of three from 4 on. */
static uint32_t divided(uint32_t hz, uint32_t field, uint32_t least) {
    static const uint32_t shifts[] = {1, 2, 3, 4, 6, 7, 8, 9};
    return field < least ? hz : hz >> shifts[field - least];
}

uint32_t model_clock_hz(void) {
    return divided(source_hz(m.used), m.d1cfgr >> 8 & 15u, 8);
}

static uint32_t ahb_hz(void) {
    return divided(model_clock_hz(), m.d1cfgr & 15u, 8);
}

uint32_t model_uart_hz(void) {
    return divided(ahb_hz(), m.d2cfgr >> 4 & 7u, 4);
}

/* RM0433 tables 17 (wait states, delay) and 8.5.6 (rates of core and buses by the voltage's scale). */
static void check_rate(void) {
    static const struct { uint32_t mhz, wait_states, delay; } flash[] = {
        {70, 0, 0}, {140, 1, 1}, {185, 2, 1}, {210, 2, 2}, {225, 3, 2},
    };
    static const uint32_t core_most[] = {0, 200, 300, 400}, ahb_most[] = {0, 100, 150, 200}, apb_most[] = {0, 50, 75, 100};
    const uint32_t scale = m.scale_looks >= LOOKS ? m.d3cr >> 14 & 3u : 1u;
    const uint32_t ahb = ahb_hz() / MHZ;
    const uint32_t apbs[] = {m.d1cfgr >> 4 & 7u, m.d2cfgr >> 4 & 7u, m.d2cfgr >> 8 & 7u, m.d3cfgr >> 4 & 7u};
    uint32_t row = 0;

    if (model_clock_hz() > core_most[scale] * MHZ || ahb_hz() > ahb_most[scale] * MHZ) {
        refuse("a rate that the voltage is too low for", model_clock_hz());
    }
    for (uint32_t i = 0; i < sizeof apbs / sizeof apbs[0] && m.used != SW_HSI; i++) { /* after reset they have all of that one */
        if (divided(ahb_hz(), apbs[i], 4) > apb_most[scale] * MHZ) {
            refuse("the rate of a peripheral bus", i);
        }
    }
    if (scale != SCALE_1) {
        if ((m.acr & 15u) < 3u) {
            refuse("fewer wait states than any rate takes", m.acr);
        }
        return;
    }
    while (ahb > flash[row].mhz) {
        row++;
    }
    if ((m.acr & 15u) < flash[row].wait_states || (m.acr >> 4 & 3u) < flash[row].delay) {
        refuse("more than flash memory can at its wait states", ahb);
    }
}

void model_start(enum start start) {
    __builtin_memset(&m, 0, sizeof m);
    usart_reset();
    m.cr = HSION;
    m.pllckselr = 0x02020200u;
    m.pllcfgr = 0x01ff0000u;
    m.pll1divr = 0x01010280u;
    m.acr = 0x37u;
    m.d3cr = 1u << 14;
    m.scale_looks = m.acr_looks = LOOKS;
    m.moder = 0xffffffffu;
    m.oscillator = has_crystal(start) && cf_board.crystal_hz != 0;
    m.pll = start != START_NO_PLL;
    if (start == START_LOADER) { /* 64 / 2 / 4 * 50 / 4 = 100 MHz, and half of that for peripherals */
        m.d1cfgr = m.d3cfgr = 4u << 4;
        m.d2cfgr = 4u << 4 | 4u << 8;
        m.cr |= 1u << 3 | PLLON;
        m.pll_looks = LOOKS;
        m.pllckselr = 0x02020000u | 4u << 4;
        m.pllcfgr = 2u << 2 | 1u << 16;
        m.pll1divr = 49u | 3u << 9 | 1u << 16 | 1u << 24;
        m.cfgr = m.used = SW_PLL;
    }
}

static void write_cr(uint32_t value) {
    if (!writable(value, CR_WRITABLE)) {
        refuse("bits of RCC_CR that are reserved, or that nobody needs", value);
    }
    const bool from_hsi = (m.pllckselr & 3u) == 0;
    uint32_t keep = 0; /* hardware lets nobody turn off what is in use */
    keep |= m.used == SW_PLL ? PLLON : 0;
    keep |= m.used == SW_HSI || (m.used == SW_PLL && from_hsi) ? HSION : 0;
    keep |= m.used == SW_HSE || (m.used == SW_PLL && !from_hsi) ? HSEON : 0;
    value |= keep & m.cr;
    if (((value ^ m.cr) & HSIDIV) != 0 && (m.cr & PLLON) != 0 && from_hsi) {
        refuse("another divisor while a PLL has the oscillator as its input", value);
    }
    if (((value | m.cr) & HSEON) != 0 && ((value ^ m.cr) & HSEBYP) != 0) {
        refuse("the bypass of an oscillator that is on", value);
    }
    m.hse_looks = (value & m.cr & HSEON) != 0 ? m.hse_looks : 0;
    m.pll_stops = (value & PLLON) == 0 && pll_ready() ? 3u * LOOKS : m.pll_stops;
    m.pll_looks = (value & m.cr & PLLON) != 0 ? m.pll_looks : 0;
    m.cr = value;
    if (m.oscillator && (m.cr & HSEON) != 0 && (m.cr & HSEBYP) == 0) {
        refuse("a crystal, where there is another chip's clock", value);
    }
    if ((value & PLLON) != 0) {
        (void)pll_hz();
    }
    check_rate();
}

static void write_cfgr(uint32_t value) {
    if (value != SW_HSI && value != SW_PLL) {
        refuse("a clock that nobody needs", value);
    }
    if (value == SW_HSI ? (m.cr & HSION) == 0 : !pll_ready() || m.acr_looks < LOOKS) {
        refuse("a clock that is not ready, or before wait states are in force", value);
    }
    m.cfgr = m.used = value;
    check_rate();
}

static void write_pll(uint32_t *where, uint32_t value, uint32_t reserved) {
    if ((m.cr & PLLON) != 0 || m.pll_stops != 0) {
        refuse("setting a PLL that is on", value);
    }
    if ((value & reserved) != 0) {
        refuse("reserved bits of a PLL", value);
    }
    *where = value;
}

static void write_buses(uint32_t *where, uint32_t value, uint32_t bits) {
    if (!writable(value, bits)) {
        refuse("reserved bits of a bus's divisor", value);
    }
    *where = value;
    check_rate();
}

static void write_gpio(uint32_t offset, uint32_t value) {
    if ((m.ahb4 & 1u << 3) == 0 || !m.ahb4_seen) {
        refuse("a port without clock", offset);
    }
    switch (offset) {
    case 0x00:
        if ((value ^ m.moder) & ~(0xfu << 16)) {
            refuse("the mode of other pins", value);
        }
        if ((value >> 16 & 0xfu) == 0xau && m.afrh != 0x77u) {
            refuse("pins of the UART without their function", value);
        }
        m.moder = value;
        return;
    case 0x08:
    case 0x0c:
        if (!writable(value, 0xfu << 16)) {
            refuse("what other pins have", value);
        }
        return;
    case 0x24:
        m.afrh = value;
        return;
    default:
        refuse("a register of GPIO", offset);
    }
}

static void write_rcc(uint32_t offset, uint32_t value) {
    switch (offset) {
    case 0x00: write_cr(value); return;
    case 0x10: write_cfgr(value); return;
    case 0x18: write_buses(&m.d1cfgr, value, 0xf7fu); return;
    case 0x1c: write_buses(&m.d2cfgr, value, 0x770u); return;
    case 0x20: write_buses(&m.d3cfgr, value, 0x70u); return;
    case 0x28: write_pll(&m.pllckselr, value, 0xfc0c0c0cu); return;
    case 0x2c: write_pll(&m.pllcfgr, value, 0xfe00f000u); return;
    case 0x30: write_pll(&m.pll1divr, value, 0x80800000u); return;
    case 0x54:
        if (value != 0) {
            refuse("another clock of a UART than that of its bus", value);
        }
        return;
    case 0xe0: m.ahb4 = value; m.ahb4_seen = false; return;
    case 0xe8: m.apb1l = value; m.apb1l_seen = false; return;
    default: refuse("a register of RCC", offset);
    }
}

void model_write(uintptr_t address, uint32_t value) {
    if (address - GPIOD < 0x400u) {
        write_gpio((uint32_t)(address - GPIOD), value);
    } else if (address - UART < 0x400u) {
        if ((m.apb1l & 1u << 18) == 0 || !m.apb1l_seen) {
            refuse("a UART without clock", (uint32_t)address);
        }
        usart_write((uint32_t)(address - UART), value);
    } else if (address - RCC < 0x400u) {
        write_rcc((uint32_t)(address - RCC), value);
    } else if (address == PWR + 0x18u) {
        if (!writable(value, 3u << 14) || value == 0) {
            refuse("reserved bits of PWR_D3CR", value);
        }
        m.scale_looks = value == m.d3cr ? m.scale_looks : 0;
        m.d3cr = value;
        check_rate();
    } else if (address == ACR) {
        if (!writable(value, 0x3fu)) {
            refuse("reserved bits of FLASH_ACR", value);
        }
        m.acr = value;
        m.acr_looks = 0;
        check_rate();
    } else {
        refuse("a write of a register that is not the runner's", (uint32_t)address);
    }
}

uint32_t model_read(uintptr_t address) {
    if (address - UART < 0x400u) {
        return usart_read((uint32_t)(address - UART));
    }
    switch (address) {
    case RCC:
        m.hse_looks += (m.cr & HSEON) != 0;
        m.pll_looks += (m.cr & PLLON) != 0;
        m.pll_stops -= m.pll_stops != 0;
        return m.cr | (m.cr & HSION) << 2 | (hse_ready() ? HSERDY : 0) | (pll_ready() || m.pll_stops != 0 ? PLLRDY : 0);
    case RCC + 0x10u: return m.cfgr | m.used << 3;
    case RCC + 0xe0u: m.ahb4_seen = true; return m.ahb4;
    case RCC + 0xe8u: m.apb1l_seen = true; return m.apb1l;
    case PWR + 0x04u: return 1u << 13 | m.d3cr;
    case PWR + 0x18u: m.scale_looks++; return m.d3cr | (m.scale_looks >= LOOKS ? 1u << 13 : 0);
    case ACR: m.acr_looks++; return m.acr_looks >= LOOKS ? m.acr : 0x37u;
    default: refuse("a read of a register that is not the runner's", (uint32_t)address);
    }
}

bool model_uart_ready(void) {
    return (m.moder >> 16 & 0xfu) == 0xau;
}
