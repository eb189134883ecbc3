/* RM0041, chapter 6, reset and clock control: oscillators that take their time, and a PLL that is set while it is off. */
#include "test/clocks/bench.h"

#define RCC_CR 0x40021000u
#define RCC_CFGR 0x40021004u
#define CRYSTAL_HZ 8000000u
#define INTERNAL_HZ 8000000u

#define HSION (1u << 0)
#define HSEON (1u << 16)
#define PLLON (1u << 24)
#define PLL_SETTING (0x3fu << 16) /* source, halving of the crystal, factor */

const struct cf_board cf_board = {.crystal_hz = CRYSTAL_HZ};

enum { HSI, HSE, PLL };

static struct {
    uint32_t cr, cfgr, used, hse_looks, pll_looks;
    bool hse_works, pll_works;
} m;

static bool hse_ready(void) {
    return (m.cr & HSEON) != 0 && m.hse_works && m.hse_looks >= LOOKS_TO_READY;
}

static bool pll_ready(void) {
    return (m.cr & PLLON) != 0 && m.pll_works && m.pll_looks >= LOOKS_TO_READY;
}

static bool from_crystal(void) {
    return (m.cfgr & 1u << 16) != 0;
}

static uint32_t pll_hz(void) {
    const uint32_t factor = (m.cfgr >> 18 & 15u) + 2u;
    const uint32_t hz = (from_crystal() ? CRYSTAL_HZ >> (m.cfgr >> 17 & 1u) : INTERNAL_HZ / 2u) * factor;
    FORBID(from_crystal() && !hse_ready());
    FORBID(hz < 16000000u || hz > 24000000u);
    return hz;
}

static uint32_t core_hz(void) {
    return m.used == PLL ? pll_hz() : m.used == HSE ? CRYSTAL_HZ : INTERNAL_HZ;
}

uint32_t cf_mmio_read(uintptr_t address) {
    switch (address) {
    case RCC_CR:
        m.hse_looks += (m.cr & HSEON) != 0;
        m.pll_looks += (m.cr & PLLON) != 0;
        return m.cr | 2u | (uint32_t)hse_ready() << 17 | (uint32_t)pll_ready() << 25;
    case RCC_CFGR:
        return (m.cfgr & ~12u) | m.used << 2;
    default:
        FORBID("a look at another register");
        return 0;
    }
}

static void write_cr(uint32_t value) {
    FORBID((value & HSION) == 0 || (value >> 3 & 31u) != 16); /* the internal oscillator, and its trimming */
    FORBID((value & ~0x010900fbu) != 0);
    FORBID(m.used == PLL && (value & PLLON) == 0);
    FORBID((m.used == HSE || (m.used == PLL && from_crystal())) && (value & HSEON) == 0);
    if ((value & ~m.cr & PLLON) != 0) {
        (void)pll_hz();
        m.pll_looks = 0;
    }
    if ((value & ~m.cr & HSEON) != 0) {
        m.hse_looks = 0;
    }
    m.cr = value;
}

static void write_cfgr(uint32_t value) {
    const uint32_t source = value & 3u;
    FORBID((value & ~(PLL_SETTING | 3u)) != 0 || source == 3);
    FORBID(source == HSE && !hse_ready());
    m.cfgr = (m.cr & PLLON) != 0 ? (value & ~PLL_SETTING) | (m.cfgr & PLL_SETTING) : value; /* which is kept while the PLL is on */
    FORBID(source == PLL && !pll_ready());
    m.used = source;
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    switch (address) {
    case RCC_CR: write_cr(value); return;
    case RCC_CFGR: write_cfgr(value); return;
    default: FORBID(address < 0x40010800u || address >= RCC_CR + 0x40u); return; /* clocks of devices, and pins */
    }
}

static void reset(bool hse, bool pll) {
    memset(&m, 0, sizeof m);
    m.cr = 0x81;
    m.hse_works = hse;
    m.pll_works = pll;
}

static void starts(uint32_t hz, bool crystal) {
    const struct cf_rates rates = cf_chip_init();
    CHECK(rates.clock_hz == hz && rates.uart_hz == hz && core_hz() == hz);
    CHECK(rates.conditions == (crystal ? 0 : CF_CONDITION_INTERNAL_CLOCK));
    CHECK(!crystal || from_crystal());
}

int main(void) {
    reset(true, true);
    starts(24000000, true);
    reset(false, true);
    starts(24000000, false);
    reset(true, false);
    starts(8000000, false);
    reset(true, true);
    /* As a boot loader in ROM may leave it. */
    m.cfgr = (24000000u / (INTERNAL_HZ / 2u) - 2u) << 18 | PLL;
    m.cr |= PLLON;
    m.used = PLL;
    m.pll_looks = LOOKS_TO_READY;
    starts(24000000, true);
    return 0;
}
