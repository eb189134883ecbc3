/* RM0090 (F446: RM0390, F401: RM0368, F411: RM0383), chapters RCC, PWR and FLASH: oscillators that take their time, a PLL that is set while
 * it is off, wait states before a fast clock, and option bytes behind a lock. */
#include "test/clocks/bench.h"

/* The greatest rates by the scale of the voltage, of the buses, and of flash memory for each wait state at 2.7 V; whether the chip has
 * devices that take 48 MHz of the PLL, as it is after reset. */
#if defined F401
#define MOST_HZ 84000000u
#define SCALE_MOST_MHZ {0, 60, 84, 0}
#define BUS_MOST_MHZ {42, 84}
#define NEEDS_48 1
#elif defined F411
#define MOST_HZ 100000000u
#define SCALE_MOST_MHZ {0, 64, 84, 100}
#define BUS_MOST_MHZ {50, 100}
#define NEEDS_48 0
#else
#define MOST_HZ 168000000u
#define SCALE_MOST_MHZ {0, 0, 0, 168}
#define BUS_MOST_MHZ {42, 84}
#define NEEDS_48 1
#endif
#define WAIT_STATE_MHZ 30u

#define RCC 0x40023800u
#define PWR_CR 0x40007000u
#define FLASH 0x40023c00u

const struct cf_board cf_board = {.crystal_hz = CRYSTAL_HZ};

enum { HSI, HSE, PLL };

static struct {
    uint32_t cr, pllcfgr, cfgr, ahb1enr, apb1enr, apb2enr, pwr, acr, optcr, options;
    bool hse_works, pll_works;
    uint32_t hse_looks, pll_looks, used; /* what the core's clock comes from */
    uint32_t keys, busy;    /* of the option bytes */
    uint32_t option_writes;
    bool acr_read;          /* since it was written */
} m;

static bool hse_ready(void) {
    return (m.cr & 1u << 16) != 0 && m.hse_works && m.hse_looks >= LOOKS_TO_READY;
}

static bool pll_ready(void) {
    return (m.cr & 1u << 24) != 0 && m.pll_works && m.pll_looks >= LOOKS_TO_READY;
}

/* Of the core, with the PLL. */
static uint64_t pll_hz(void) {
    const uint32_t in = (m.pllcfgr & 1u << 22) != 0 ? CRYSTAL_HZ : 16000000u;
    const uint32_t divide = m.pllcfgr & 63u;
    FORBID(divide < 2 || in % divide != 0 || in / divide < 1000000u || in / divide > 2000000u);
    const uint64_t vco = (uint64_t)(in / divide) * (m.pllcfgr >> 6 & 511u);
    FORBID(vco < 100000000u || vco > 432000000u);
    const uint64_t slow = vco / (m.pllcfgr >> 24 & 15u); /* what RNG and USB take */
    FORBID(NEEDS_48 ? slow != 48000000u : slow > 48000000u);
    return vco / (2u * (m.pllcfgr >> 16 & 3u) + 2u);
}

/* Of APB1 or APB2, by the three bits of its divisor. */
static uint64_t bus_hz(uint32_t divisor) {
    return pll_hz() >> ((divisor & 7u) < 4 ? 0 : (divisor & 3u) + 1u);
}

uint32_t cf_mmio_read(uintptr_t address) {
    switch (address) {
    case RCC:
        m.hse_looks += (m.cr & 1u << 16) != 0;
        m.pll_looks += (m.cr & 1u << 24) != 0;
        return m.cr | 2u | (uint32_t)hse_ready() << 17 | (uint32_t)pll_ready() << 25;
    case RCC + 0x08u:
        return (m.cfgr & ~12u) | m.used << 2;
    case FLASH:
        m.acr_read = true;
        return m.acr;
    case FLASH + 0x0cu:
        m.busy -= m.busy != 0;
        return m.busy != 0 ? 1u << 16 : 0;
    case FLASH + 0x14u:
        return m.optcr;
    default:
        FORBID("a look at another register");
        return 0;
    }
}

static void write_rcc_cr(uint32_t value) {
    FORBID((value & 1) == 0); /* the internal oscillator is what is left if all others fail */
    FORBID((value & ~0x010d00fbu) != 0);
    FORBID((value >> 3 & 31u) != 16); /* its trimming */
    FORBID(m.used == PLL && (value & 1u << 24) == 0);
    FORBID(((m.cr | value) & 1u << 16) != 0 && ((m.cr ^ value) & 1u << 18) != 0); /* the bypass changes while it is off only */
    if ((value & ~m.cr & 1u << 24) != 0) {
        FORBID((m.pllcfgr & 1u << 22) != 0 && !hse_ready());
        static const uint32_t most[] = SCALE_MOST_MHZ;
        FORBID(pll_hz() > most[m.pwr >> 14 & 3u] * 1000000u); /* the scale changes while the PLL is off only */
        m.pll_looks = 0;
    }
    if ((value & ~m.cr & 1u << 16) != 0) {
        m.hse_looks = 0;
    }
    m.cr = value;
}

static void write_cfgr(uint32_t value) {
    const uint32_t source = value & 3u;
    FORBID((value & ~0xfcf3u) != 0);
    FORBID(source == HSE && !hse_ready());
    if (source == PLL) {
        static const uint32_t most[] = BUS_MOST_MHZ;
        FORBID(!pll_ready() || pll_hz() > MOST_HZ);
        FORBID(pll_hz() > ((m.acr & 7u) + 1u) * WAIT_STATE_MHZ * 1000000u || !m.acr_read);
        FORBID(bus_hz(value >> 10) > most[0] * 1000000u || bus_hz(value >> 13) > most[1] * 1000000u);
    }
    m.cfgr = value;
    m.used = source;
}

static void write_option(uint32_t value) {
    FORBID((m.optcr & 1) != 0 || m.busy != 0);
    FORBID((value & 0xf0000000u) != 0);
    m.option_writes++;
    m.optcr = value & ~2u;
    if ((value & 2) != 0) {
        FORBID((m.options ^ value) & ~0xfu); /* nothing that somebody else has set */
        m.options = value & ~3u;
        m.busy = 3;
    }
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    switch (address) {
    case RCC:
        write_rcc_cr(value);
        return;
    case RCC + 0x04u:
        FORBID((m.cr & 1u << 24) != 0);
        FORBID((value & 0xf0000000u) != 0x20000000u);
        m.pllcfgr = value;
        return;
    case RCC + 0x08u:
        write_cfgr(value);
        return;
    case PWR_CR:
        FORBID((m.apb1enr & 1u << 28) == 0 || (m.cr & 1u << 24) != 0);
        m.pwr = value;
        return;
    case FLASH:
        m.acr = value;
        m.acr_read = false;
        return;
    case FLASH + 0x08u:
        m.keys = value == 0x08192a3bu ? 1 : value == 0x4c5d6e7fu && m.keys == 1 ? 2 : 0;
        m.optcr &= m.keys == 2 ? ~1u : ~0u;
        return;
    case FLASH + 0x14u:
        write_option(value);
        return;
    case RCC + 0x40u:
        m.apb1enr = value;
        return;
    default: /* clocks of devices, and pins */
        FORBID(address < 0x40020000u || address >= RCC + 0x80u);
        return;
    }
}

#define DELIVERED 0x0fffaaecu /* no brown-out reset, nothing protected */

static void reset(bool hse, bool pll) {
    memset(&m, 0, sizeof m);
    m.cr = 0x80 | 1;
    m.pllcfgr = 0x24003010;
    m.hse_works = hse;
    m.pll_works = pll;
    m.options = DELIVERED & ~0xcu;
    m.optcr = m.options | 1u;
}

static void starts(uint32_t hz, uint32_t used) {
    const struct cf_rates rates = cf_chip_init();
    CHECK(rates.clock_hz == hz && rates.uart_hz == hz / UART_DIVIDE && m.used == used);
    CHECK(used != PLL || pll_hz() == hz);
    const bool from_crystal = used == PLL && (m.pllcfgr & 1u << 22) != 0;
    CHECK(rates.conditions == (from_crystal ? 0 : CF_CONDITION_INTERNAL_CLOCK));
}

int main(void) {
    reset(true, true);
    starts(MOST_HZ, PLL);
    CHECK((m.pllcfgr & 1u << 22) != 0 && m.option_writes == 0);
    starts(MOST_HZ, PLL); /* again, as a boot loader in ROM leaves it */
    reset(false, true);
    starts(MOST_HZ, PLL);
    CHECK((m.pllcfgr & 1u << 22) == 0);
    reset(true, false);
    starts(16000000, HSI);

    reset(true, true);
    m.options = DELIVERED;
    m.optcr = m.options | 1u;
    starts(MOST_HZ, PLL);
    CHECK(m.options == (DELIVERED & ~0xcu) && m.optcr == (m.options | 1u) && m.option_writes == 3);
    starts(MOST_HZ, PLL);
    CHECK(m.option_writes == 3);

    reset(true, true);
    m.options = 0x00f055a4u | 8u; /* somebody's: level 1, read and write protection, a watchdog that always runs */
    m.optcr = m.options | 1u;
    starts(MOST_HZ, PLL);
    CHECK(m.options == 0x00f055a0u);
    return 0;
}
