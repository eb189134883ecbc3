/*
 * STM32L4x5 (RM0351) and, with G4 defined, STM32G4 (RM0440): chapters PWR (5, 6), FLASH (3), RCC (6, 7), GPIO (8, 9), USART (40, 37).
 * The registers that a runner has to do with; every other access is refused.
 */
#include "platform/board.h"
#include "test/clocks/models.h"
#include "test/clocks/usart.h"

#define RCC 0x40021000u
#define ACR 0x40022000u
#define PWR 0x40007000u
#define GPIO 0x48000000u

#define HSION (1u << 8)
#define HSIRDY (1u << 10)
#define HSEON (1u << 16)
#define HSERDY (1u << 17)
#define PLLON (1u << 24)
#define PLLRDY (1u << 25)
#define MHZ 1000000u

#ifdef G4
#define CR_RESET (HSION | HSIRDY)
#define CR_WRITABLE (HSION | (1u << 9) | HSEON | (1u << 18) | (1u << 19) | PLLON)
#define CFGR_RESET 5u /* the internal oscillator of 16 MHz, as is */
#define PLLCFGR_RESERVED 0x008c800cu
#define PLL_INPUTS_MOST 16u
#define VCO_LEAST 96u
#define ACR_RESET 0x00040600u
#define ACR_WRITABLE 0x00047f0fu
#define PORT 0u
#define PIN 2u
#define UART 0x40004400u
#define UART_ENABLE 0x58u
#define UART_BIT (1u << 17)
static const uint32_t latency_mhz[] = {34, 68, 102, 136, 170}; /* RM0440 table 29, range 1 boost; the least of ours */
#else
#define CR_RESET 0x63u
#define CR_WRITABLE (0xf9u | 4u | HSION | (1u << 9) | (1u << 11) | HSEON | (1u << 18) | (1u << 19) | PLLON)
#define CFGR_RESET 0u
#define PLLCFGR_RESERVED 0xf88c808cu
#define PLL_INPUTS_MOST 8u
#define VCO_LEAST 64u
#define ACR_RESET 0x600u
#define ACR_WRITABLE 0x7f07u
#define PORT 1u
#define PIN 6u
#define UART 0x40013800u
#define UART_ENABLE 0x60u
#define UART_BIT (1u << 14)
static const uint32_t latency_mhz[] = {16, 32, 48, 64, 80}; /* RM0351 table 11, range 1 */
#endif

static struct {
    uint32_t cr, cfgr, pllcfgr, acr, cr1, cr5, ahb2, apb1, apb2;
    uint32_t moder, afr[2], looks; /* looks since the rate rose */
    bool crystal, pll; /* are there */
} m;

static uint32_t pll_hz(void) {
    const uint32_t source = m.pllcfgr & 3u;
    const uint32_t divisor = ((m.pllcfgr >> 4) & (PLL_INPUTS_MOST - 1u)) + 1u;
    const uint32_t factor = (m.pllcfgr >> 8) & 0x7fu;

    if (source == 2u ? (m.cr & HSIRDY) == 0 : source != 3u || (m.cr & HSERDY) == 0) {
        refuse("a PLL without an input that is ready", m.pllcfgr);
    }
    const uint32_t input = (source == 2u ? 16u * MHZ : cf_board.crystal_hz) / divisor;
    if (input < 4u * MHZ || input > 16u * MHZ) { /* RM0440 has 2.66 MHz at the least */
        refuse("the input of a PLL", input);
    }
    if (factor < 8u || factor > 127u || input / MHZ * factor < VCO_LEAST || input / MHZ * factor > 344u) {
        refuse("the rate of a PLL's oscillator", factor);
    }
    if ((m.pllcfgr & (1u << 24)) == 0) {
        refuse("a PLL without output", m.pllcfgr);
    }
    return input * factor / (2u * (((m.pllcfgr >> 25) & 3u) + 1u));
}

static uint32_t source_hz(uint32_t source) {
    switch (source) {
    case 0:
#ifdef G4
        refuse("a reserved clock", source);
#else
        return 4u * MHZ;
#endif
    case 1: return 16u * MHZ;
    case 2: return cf_board.crystal_hz;
    default: return pll_hz();
    }
}

uint32_t model_clock_hz(void) {
    const uint32_t hpre = (m.cfgr >> 4) & 0xfu;
    return source_hz(m.cfgr & 3u) >> (hpre < 8u ? 0 : hpre - 7u);
}

uint32_t model_uart_hz(void) {
    return model_clock_hz();
}

static void check_rate(void) {
    const uint32_t mhz = model_clock_hz() / MHZ;
    const uint32_t latency = m.acr & 0xfu;

    if (latency >= sizeof latency_mhz / sizeof latency_mhz[0] || mhz > latency_mhz[latency]) {
        refuse("more than flash memory can at its wait states", mhz);
    }
#ifdef G4
    if (mhz > 150u && (m.cr5 & (1u << 8)) != 0) {
        refuse("more than 150 MHz without boost", mhz);
    }
#endif
    if (((m.cr1 >> 9) & 3u) != 1u) {
        refuse("a rate in range 2", mhz);
    }
}

void model_start(enum start start) {
    __builtin_memset(&m, 0, sizeof m);
    usart_reset();
    m.cr = CR_RESET;
    m.cfgr = CFGR_RESET;
    m.pllcfgr = 0x1000u;
    m.acr = ACR_RESET;
    m.cr1 = 0x200u;
    m.cr5 = 0x100u;
    m.moder = PORT == 0 ? 0xabffffffu : 0xfffffebfu;
    m.crystal = has_crystal(start) && cf_board.crystal_hz != 0;
    m.pll = start != START_NO_PLL;
    if (start == START_LOADER) {
        m.cr |= HSION | HSIRDY | PLLON | PLLRDY;
        m.pllcfgr = 2u | 3u << 4 | 36u << 8 | 1u << 24; /* 72 MHz */
        m.acr = ACR_RESET | 4u;
        m.cfgr = 0xfu;
    }
}

/* RCC_CR: what is turned on is ready at the next look. */
static void write_cr(uint32_t value) {
    const uint32_t used = m.cfgr & 3u;

    value &= ~(HSIRDY | HSERDY | PLLRDY | (CR_RESET & 2u)); /* read only */
    if (!writable(value, CR_WRITABLE)) {
        refuse("reserved bits of RCC_CR", value);
    }
    const bool pll_used = used == 3u;
    uint32_t keep = 0; /* hardware lets nobody turn off what is in use */
    keep |= pll_used ? PLLON : 0;
    keep |= used == 1u || (pll_used && (m.pllcfgr & 3u) == 2u) ? HSION : 0;
    keep |= used == 2u || (pll_used && (m.pllcfgr & 3u) == 3u) ? HSEON : 0;
    value |= keep & m.cr;
    m.cr = value | (value & HSION) << 2 | (m.crystal ? (value & HSEON) << 1 : 0);
#ifndef G4
    m.cr |= (value & 1u) << 1;
#endif
    if ((value & PLLON) != 0) {
        (void)pll_hz();
        m.cr |= m.pll ? PLLRDY : 0;
    }
}

static void write_cfgr(uint32_t value) {
    const uint32_t before = model_clock_hz();
    static const uint32_t ready[] = {CR_RESET & 2u, HSIRDY, HSERDY, PLLRDY};

    if (!writable(value, 0xf3u)) {
        refuse("bits of RCC_CFGR that nobody needs", value);
    }
    if ((m.cr & ready[value & 3u]) == 0) {
        refuse("a clock that is not ready", value);
    }
    m.cfgr = (value & ~0xcu) | (value & 3u) << 2;
    const uint32_t after = model_clock_hz();
    check_rate();
    if (after > 80u * MHZ && after > before && (before < 80u * MHZ || m.looks < 50u) && (m.cfgr & 0x80u) == 0) {
        refuse("more than 80 MHz at once: for 1 us with the half of it", after); /* RM0440 7.2.7 */
    }
    m.looks = 0;
}

static void write_gpio(uint32_t offset, uint32_t value) {
    if ((m.ahb2 & (1u << PORT)) == 0) {
        refuse("a port without clock", offset);
    }
    switch (offset) {
    case 0x00:
        if ((value ^ m.moder) & ~(0xfu << 2u * PIN)) {
            refuse("the mode of other pins", value);
        }
        if ((value >> 2u * PIN & 0xfu) == 0xau && (m.afr[PIN / 8u] >> 4u * (PIN % 8u) & 0xffu) != 0x77u) {
            refuse("pins of the UART without their function", value);
        }
        m.moder = value;
        return;
    case 0x08:
    case 0x0c:
        return;
    case 0x20:
    case 0x24:
        m.afr[(offset - 0x20u) / 4u] = value;
        return;
    default:
        refuse("a register of GPIO", offset);
    }
}

void model_write(uintptr_t address, uint32_t value) {
    if (address - GPIO < 0x2000u) {
        if ((address - GPIO) / 0x400u != PORT) {
            refuse("another port", (uint32_t)address);
        }
        write_gpio((uint32_t)(address % 0x400u), value);
        return;
    }
    if (address - UART < 0x400u) {
        if (((UART_ENABLE == 0x58u ? m.apb1 : m.apb2) & UART_BIT) == 0) {
            refuse("a UART without clock", (uint32_t)address);
        }
        usart_write((uint32_t)(address - UART), value);
        return;
    }
    if (address - PWR < 0x400u && (m.apb1 & (1u << 28)) == 0) {
        refuse("the power control without clock", (uint32_t)address);
    }
    switch (address) {
    case RCC: write_cr(value); return;
    case RCC + 0x08u: write_cfgr(value); return;
    case RCC + 0x0cu:
        if ((m.cr & (PLLON | PLLRDY)) != 0) {
            refuse("setting a PLL that is on", value);
        }
        if ((value & PLLCFGR_RESERVED) != 0) {
            refuse("reserved bits of PLLCFGR", value);
        }
        m.pllcfgr = value;
        return;
    case RCC + 0x4cu: m.ahb2 = value; return;
    case RCC + 0x58u: m.apb1 = value; return;
    case RCC + 0x60u: m.apb2 = value; return;
    case ACR:
        if (!writable(value, ACR_WRITABLE) || (value & (ACR_RESET & ~0x700u)) != (ACR_RESET & ~0x700u)) {
            refuse("reserved bits of FLASH_ACR, or the debugger's", value);
        }
        m.acr = value;
        check_rate();
        return;
#ifdef G4
    case PWR + 0x80u:
        if (value != 0 && value != 0x100u) {
            refuse("reserved bits of PWR_CR5", value);
        }
        m.cr5 = value;
        return;
#else
    case PWR:
        m.cr1 = value;
        check_rate();
        return;
#endif
    default: refuse("a write of a register that is not the runner's", (uint32_t)address);
    }
}

uint32_t model_read(uintptr_t address) {
    m.looks++;
    if (address - UART < 0x400u) {
        return usart_read((uint32_t)(address - UART));
    }
    switch (address) {
    case RCC: return m.cr;
    case RCC + 0x08u: return m.cfgr;
    case ACR: return m.acr;
    default: refuse("a read of a register that is not the runner's", (uint32_t)address);
    }
}

bool model_uart_ready(void) {
    return (m.moder >> 2u * PIN & 0xfu) == 0xau;
}
