/*
 * STM32F767 (RM0410): chapters FLASH (3), PWR (4), RCC (5), GPIO (6), USART (34), and the limits of its data sheet, DS11532. The registers that
 * a runner has to do with; every other access is refused.
 */
#include "platform/board.h"
#include "test/clocks/models.h"
#include "test/clocks/usart.h"

#define RCC 0x40023800u
#define PWR 0x40007000u
#define FLASH 0x40023c00u
#define GPIOD 0x40020c00u
#define UART 0x40004800u

#define HSION (1u << 0)
#define HSIRDY (1u << 1)
#define HSITRIM (31u << 3)
#define HSITRIM_RESET (16u << 3)
#define HSICAL 0x5a00u /* of this piece */
#define HSEON (1u << 16)
#define HSERDY (1u << 17)
#define HSEBYP (1u << 18)
#define PLLON (1u << 24)
#define PLLRDY (1u << 25)
#define SAION (1u << 28) /* another PLL with the same input */
#define SAIRDY (1u << 29)
#define CR_WRITABLE (HSION | HSITRIM | HSEON | HSEBYP | PLLON)
#define DATA_CLOCK (1u << 20) /* of AHB1ENR */
#define PORT_D (1u << 3)
#define USART3 (1u << 18) /* of APB1ENR */
#define POWER (1u << 28)
#define ODEN (1u << 16)
#define ODSWEN (1u << 17)
#define DELIVERED 0xffffaafcu /* option bytes: no brown-out reset, nothing protected */
#define MHZ 1000000u

/* So many looks at a register until something is ready, in force, or has a clock. */
#define LOOKS 3u

enum { SW_HSI, SW_HSE, SW_PLL };

static struct {
    uint32_t cr, pllcfgr, cfgr, ahb1, ahb2, ahb3, apb1, apb2, dckcfgr2, cr1, acr, optcr, options;
    uint32_t moder, pupdr, afrh;
    uint32_t hsi_looks, hse_looks, pll_looks, pll_stops, sai_stops, scale_looks, switch_looks, acr_looks; /* since something was asked for */
    uint32_t od_looks, odsw_looks, od_stops, keys, busy, used; /* the last: the clock that the core has */
    bool oscillator, pll; /* are there */
    bool ahb1_seen, apb1_seen;
} m;

static uint32_t scale(void) {
    return m.cr1 >> 14 & 3u;
}

static bool hsi_ready(void) {
    return (m.cr & HSION) != 0 && m.hsi_looks >= LOOKS;
}

static bool hse_ready(void) {
    return (m.cr & HSEON) != 0 && m.oscillator && m.hse_looks >= LOOKS;
}

static bool pll_ready(void) {
    return (m.cr & PLLON) != 0 && m.pll && m.pll_looks >= LOOKS;
}

static bool scale_ready(void) {
    return pll_ready() && m.scale_looks >= 3u * LOOKS; /* longer than over-drive takes */
}

static bool over_drive(void) {
    return (m.cr1 & ODSWEN) != 0 && m.odsw_looks >= LOOKS;
}

/* DS11532, PLL characteristics; RM0410, RCC_PLLCFGR. */
static uint32_t pll_hz(void) {
    const bool from_hse = (m.pllcfgr & 1u << 22) != 0;
    const uint32_t divisor = m.pllcfgr & 63u, factor = m.pllcfgr >> 6 & 511u;
    const uint32_t q = m.pllcfgr >> 24 & 15u, r = m.pllcfgr >> 28 & 7u;

    if (from_hse ? !hse_ready() : !hsi_ready()) {
        refuse("a PLL without an input that is ready", m.pllcfgr);
    }
    if (divisor < 2u || factor < 50u || factor > 432u || q < 2u || r < 2u) {
        refuse("a divisor or factor of a PLL", m.pllcfgr);
    }
    const uint32_t input = (from_hse ? cf_board.crystal_hz : 16u * MHZ) / divisor;
    if (input < MHZ || input > 2u * MHZ) {
        refuse("the input of a PLL", input);
    }
    const uint32_t oscillator = input * factor;
    if (oscillator < 100u * MHZ || oscillator > 432u * MHZ) {
        refuse("the rate of a PLL's oscillator", oscillator);
    }
    if (oscillator / q > 48u * MHZ) {
        refuse("more than 48 MHz for those that take so much", oscillator / q);
    }
    return oscillator / (2u * (m.pllcfgr >> 16 & 3u) + 2u);
}

static uint32_t source_hz(uint32_t source) {
    return source == SW_HSI ? 16u * MHZ : source == SW_HSE ? cf_board.crystal_hz : pll_hz();
}

static uint32_t ahb_hz(void) {
    static const uint32_t shifts[] = {1, 2, 3, 4, 6, 7, 8, 9};
    const uint32_t field = m.cfgr >> 4 & 15u;
    return source_hz(m.used) >> (field < 8u ? 0 : shifts[field - 8u]);
}

static bool switching(void) {
    return (m.cfgr & 3u) != m.used;
}

static uint32_t apb_hz(uint32_t number) {
    const uint32_t field = m.cfgr >> (number == 1 ? 10 : 13) & 7u;
    return ahb_hz() >> (field < 4u ? 0 : field - 3u);
}

uint32_t model_clock_hz(void) {
    return ahb_hz();
}

uint32_t model_uart_hz(void) {
    return (m.dckcfgr2 & 3u << 4) == 0 ? apb_hz(1) : source_hz(m.used);
}

/* DS11532, general operating conditions; RM0410, wait states at 2.7 V and more. */
static void check_rate(void) {
    static const uint32_t plain[] = {0, 144, 168, 180}, driven[] = {0, 144, 180, 216};
    const bool most = over_drive();

    if (ahb_hz() > (most ? driven : plain)[scale()] * MHZ) {
        refuse("a rate that the voltage is too low for", ahb_hz());
    }
    if (apb_hz(1) > (most ? 54u : 45u) * MHZ || apb_hz(2) > (most ? 108u : 90u) * MHZ) {
        refuse("the rate of a peripheral bus", m.cfgr);
    }
    if (ahb_hz() > 210u * MHZ ? (m.acr & 15u) < 7u : ahb_hz() > ((m.acr & 15u) + 1u) * 30u * MHZ) {
        refuse("more than flash memory can at its wait states", ahb_hz());
    }
    if (ahb_hz() > 180u * MHZ && (m.options & 0xcu) != 0) {
        refuse("wait states for 2.7 V where the chip may have less", m.options);
    }
}

void model_start(enum start start) {
    __builtin_memset(&m, 0, sizeof m);
    usart_reset();
    m.cr = HSION | HSITRIM_RESET;
    m.hsi_looks = LOOKS;
    m.pllcfgr = 0x24003010u;
    m.ahb1 = DATA_CLOCK;
    m.cr1 = 3u << 14;
    m.acr_looks = LOOKS;
    m.options = start == START_NO_CRYSTAL ? 0x40f055a8u : DELIVERED; /* somebody's: level 1, read and write protection, a boot by banks */
    m.oscillator = has_crystal(start) && cf_board.crystal_hz != 0;
    m.pll = start != START_NO_PLL;
    if (start == START_LOADER) { /* 216 MHz, and half of that for core and buses, with all else that may be on. The brown-out reset is set. */
        m.cr = HSITRIM_RESET | HSEBYP | HSEON | PLLON | SAION;
        m.hsi_looks = 0;
        m.hse_looks = m.pll_looks = m.od_looks = m.odsw_looks = LOOKS;
        m.scale_looks = 3u * LOOKS;
        m.pllcfgr = 8u | 432u << 6 | 1u << 22 | 9u << 24 | 2u << 28;
        m.cfgr = SW_PLL | 8u << 4 | 4u << 10;
        m.used = SW_PLL;
        m.cr1 |= ODEN | ODSWEN;
        m.acr = 0x303u;
        m.ahb1 |= 0x600007u;
        m.ahb2 = 0x80u;
        m.ahb3 = 2u;
        m.apb1 = POWER | 1u;
        m.apb2 = 0x4010u;
        m.dckcfgr2 = 1u << 4;
        m.pupdr = 0xau << 16;
        m.options &= ~0xcu;
    }
    m.optcr = m.options | 1u;
}

static void write_cr(uint32_t value) {
    if (!writable(value, CR_WRITABLE) || (value & HSITRIM) != HSITRIM_RESET) {
        refuse("bits of RCC_CR that are reserved, or that nobody needs", value);
    }
    const bool from_hse = (m.pllcfgr & 1u << 22) != 0;
    uint32_t keep = 0; /* hardware lets nobody turn off what is in use */
    keep |= m.used == SW_PLL || (m.cfgr & 3u) == SW_PLL ? PLLON : 0;
    keep |= m.used == SW_HSI || (m.cfgr & 3u) == SW_HSI || (m.used == SW_PLL && !from_hse) ? HSION : 0;
    keep |= m.used == SW_HSE || (m.used == SW_PLL && from_hse) ? HSEON : 0;
    value |= keep & m.cr;
    if (((value | m.cr) & HSEON) != 0 && ((value ^ m.cr) & HSEBYP) != 0) {
        refuse("the bypass of an oscillator that is on", value);
    }
    m.hsi_looks = (value & m.cr & HSION) != 0 ? m.hsi_looks : 0;
    m.hse_looks = (value & m.cr & HSEON) != 0 ? m.hse_looks : 0;
    m.pll_stops = (value & PLLON) == 0 && pll_ready() ? 3u * LOOKS : m.pll_stops;
    m.sai_stops = (value & SAION) < (m.cr & SAION) ? 10u * LOOKS : m.sai_stops;
    m.pll_looks = (value & m.cr & PLLON) != 0 ? m.pll_looks : 0;
    m.scale_looks = (value & m.cr & PLLON) != 0 ? m.scale_looks : 0;
    m.cr = value;
    if (m.oscillator && (m.cr & HSEON) != 0 && (m.cr & HSEBYP) == 0) {
        refuse("a crystal, where there is another chip's clock", value);
    }
    if ((value & PLLON) != 0) {
        (void)pll_hz();
    }
    check_rate();
}

/* Which comes first, other divisors or another clock, is not known. */
static void write_cfgr(uint32_t value) {
    const uint32_t before = m.cfgr, source = value & 3u;

    if (!writable(value, 0xfcf3u) || source > SW_PLL || (switching() && value != before)) {
        refuse("bits of RCC_CFGR that nobody needs, or before the switch before is done", value);
    }
    if (source == SW_HSI ? !hsi_ready() : source == SW_HSE ? !hse_ready() : !scale_ready() || m.acr_looks < LOOKS) {
        refuse("a clock that is not ready, or before voltage and wait states are in force", value);
    }
    const uint32_t used = m.used;
    m.used = source;
    check_rate();
    m.cfgr = value;
    check_rate();
    m.used = used;
    check_rate();
    m.switch_looks = 0;
}

static uint32_t read_cfgr(void) {
    m.switch_looks++;
    m.used = m.switch_looks >= LOOKS ? m.cfgr & 3u : m.used;
    return m.cfgr | m.used << 2;
}

static bool plls_off(void) {
    return (m.cr & (PLLON | SAION)) == 0 && m.pll_stops == 0 && m.sai_stops == 0;
}

static void write_enable(uint32_t *where, uint32_t value, uint32_t bits) {
    if (!writable(value, bits)) {
        refuse("clocks of devices that nobody needs", value);
    }
    *where = value;
}

static void write_rcc(uint32_t offset, uint32_t value) {
    switch (offset) {
    case 0x00: write_cr(value); return;
    case 0x04:
        if (!plls_off()) {
            refuse("setting a PLL while one is on", value);
        }
        if ((value & 0x80bc8000u) != 0) {
            refuse("reserved bits of RCC_PLLCFGR", value);
        }
        m.pllcfgr = value;
        return;
    case 0x08: write_cfgr(value); return;
    case 0x30:
        if ((value & DATA_CLOCK) == 0) {
            refuse("variables and stack without clock", value);
        }
        write_enable(&m.ahb1, value, DATA_CLOCK | PORT_D);
        m.ahb1_seen = false;
        return;
    case 0x34: write_enable(&m.ahb2, value, 0); return;
    case 0x38: write_enable(&m.ahb3, value, 0); return;
    case 0x40:
        write_enable(&m.apb1, value, POWER | USART3);
        m.apb1_seen = false;
        return;
    case 0x44: write_enable(&m.apb2, value, 0); return;
    case 0x90:
        if (value != 0) {
            refuse("another clock of a UART than that of its bus", value);
        }
        m.dckcfgr2 = value;
        return;
    default: refuse("a register of RCC", offset);
    }
}

static void write_power(uint32_t value) {
    const uint32_t changed = value ^ m.cr1;

    if (!writable(value, 3u << 14 | ODEN | ODSWEN) || (value >> 14 & 3u) == 0) {
        refuse("bits of PWR_CR1 that are reserved, or that nobody needs", value);
    }
    if ((changed & 3u << 14) != 0 && (m.cr & PLLON) != 0) {
        refuse("another voltage while the PLL is on", value);
    }
    if ((changed & (ODEN | ODSWEN)) != 0 && m.used == SW_PLL) {
        refuse("over-drive that changes while the core has the PLL's clock", value);
    }
    if ((value & ODSWEN) != 0 && ((value & ODEN) == 0 || m.od_looks < LOOKS)) {
        refuse("a switch to over-drive that is not ready", value);
    }
    if ((value & changed & ODEN) != 0 && ((m.cr & PLLON) == 0 || m.od_stops != 0)) {
        refuse("over-drive before the PLL is on, or while it ends", value);
    }
    if ((value & changed & ODSWEN) != 0 && ((m.ahb1 & ~DATA_CLOCK) | m.ahb2 | m.ahb3 | (m.apb1 & ~POWER) | m.apb2) != 0) {
        refuse("a switch to over-drive while devices have a clock", value);
    }
    m.od_stops = (value & ODEN) < (m.cr1 & ODEN) ? 5u * LOOKS : m.od_stops;
    m.od_looks = (value & m.cr1 & ODEN) != 0 ? m.od_looks : 0;
    m.odsw_looks = (value & m.cr1 & ODSWEN) != 0 ? m.odsw_looks : 0;
    m.scale_looks = (changed & 3u << 14) != 0 ? 0 : m.scale_looks;
    m.cr1 = value;
    check_rate();
}

static void write_option(uint32_t value) {
    if ((m.optcr & 1u) != 0 || m.busy != 0) {
        refuse("option bytes that are locked, or being written", value);
    }
    if ((m.options & 0xcu) == 0 && (value & 2u) != 0) {
        refuse("option bytes that are what they should be", value);
    }
    m.optcr = value & ~2u;
    if ((value & 2u) != 0) {
        if (((m.options ^ value) & ~0xfu) != 0) {
            refuse("option bytes that somebody else has set", value);
        }
        m.options = value & ~3u;
        m.busy = LOOKS;
    }
}

static void write_flash(uint32_t offset, uint32_t value) {
    switch (offset) {
    case 0x00:
        if (!writable(value, 0xb0fu)) {
            refuse("reserved bits of FLASH_ACR", value);
        }
        m.acr = value;
        m.acr_looks = 0;
        check_rate();
        return;
    case 0x08:
        m.keys = value == 0x08192a3bu ? 1 : value == 0x4c5d6e7fu && m.keys == 1 ? 2 : 0;
        m.optcr &= m.keys == 2 ? ~1u : ~0u;
        return;
    case 0x14: write_option(value); return;
    default: refuse("a register of FLASH", offset);
    }
}

static void write_gpio(uint32_t offset, uint32_t value) {
    if ((m.ahb1 & PORT_D) == 0 || !m.ahb1_seen) {
        refuse("a port without clock", offset);
    }
    switch (offset) {
    case 0x00:
        if (!writable(value, 0xfu << 16)) {
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
        m.pupdr = offset == 0x0c ? value : m.pupdr;
        return;
    case 0x24: m.afrh = value; return;
    default: refuse("a register of GPIO", offset);
    }
}

static void check_power(void) {
    if ((m.apb1 & POWER) == 0 || !m.apb1_seen) {
        refuse("the power control without clock", m.apb1);
    }
}

void model_write(uintptr_t address, uint32_t value) {
    if (address - GPIOD < 0x400u) {
        write_gpio((uint32_t)(address - GPIOD), value);
    } else if (address - UART < 0x400u) {
        if ((m.apb1 & USART3) == 0 || !m.apb1_seen) {
            refuse("a UART without clock", (uint32_t)address);
        }
        usart_write((uint32_t)(address - UART), value);
    } else if (address - RCC < 0x400u) {
        write_rcc((uint32_t)(address - RCC), value);
    } else if (address == PWR) {
        check_power();
        write_power(value);
    } else if (address - FLASH < 0x400u) {
        write_flash((uint32_t)(address - FLASH), value);
    } else {
        refuse("a write of a register that is not the runner's", (uint32_t)address);
    }
}

static uint32_t read_cr(void) {
    m.hsi_looks += (m.cr & HSION) != 0;
    m.hse_looks += (m.cr & HSEON) != 0;
    m.pll_looks += (m.cr & PLLON) != 0;
    m.pll_stops -= m.pll_stops != 0;
    m.sai_stops -= m.sai_stops != 0;
    return m.cr | HSICAL | (hsi_ready() ? HSIRDY : 0) | (hse_ready() ? HSERDY : 0) | (pll_ready() || m.pll_stops != 0 ? PLLRDY : 0)
           | ((m.cr & SAION) != 0 || m.sai_stops != 0 ? SAIRDY : 0);
}

static uint32_t read_power_state(void) {
    check_power();
    m.scale_looks += pll_ready();
    m.od_looks += (m.cr1 & ODEN) != 0;
    m.odsw_looks += (m.cr1 & ODSWEN) != 0;
    m.od_stops -= m.od_stops != 0;
    return (scale_ready() ? 1u << 14 : 0) | (m.od_looks >= LOOKS || m.od_stops != 0 ? ODEN : 0) | (over_drive() || m.od_stops != 0 ? ODSWEN : 0);
}

uint32_t model_read(uintptr_t address) {
    if (address - UART < 0x400u) {
        return usart_read((uint32_t)(address - UART));
    }
    switch (address) {
    case RCC: return read_cr();
    case RCC + 0x08u: return read_cfgr();
    case RCC + 0x30u: m.ahb1_seen = true; return m.ahb1;
    case RCC + 0x40u: m.apb1_seen = true; return m.apb1;
    case PWR + 0x04u: return read_power_state();
    case FLASH: m.acr_looks++; return m.acr_looks >= LOOKS ? m.acr : 0;
    case FLASH + 0x0cu: m.busy -= m.busy != 0; return m.busy != 0 ? 1u << 16 : 0;
    case FLASH + 0x14u: return m.optcr;
    default: refuse("a read of a register that is not the runner's", (uint32_t)address);
    }
}

bool model_uart_ready(void) {
    return (m.moder >> 16 & 0xfu) == 0xau && m.pupdr == 5u << 16;
}
