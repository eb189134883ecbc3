/* DS-LM3S6965, chapter 5, System Control: the run-mode clock configuration (RCC) is changed in the order of 5.3, the crystal has its time to
 * start, and the PLL to lock. */
#include "test/clocks/bench.h"

#define SYSCTL 0x400fe000u
#define RIS (SYSCTL + 0x050u)
#define MISC (SYSCTL + 0x058u)
#define RCC (SYSCTL + 0x060u)

#define PLL_LOCKED (1u << 6)
#define MAIN_OFF (1u << 0)
#define INTERNAL_OFF (1u << 1)
#define SOURCE (3u << 4)
#define FROM_INTERNAL (1u << 4)
#define XTAL (15u << 6)
#define XTAL_8_MHZ (14u << 6)
#define BYPASS (1u << 11)
#define PLL_OFF (1u << 13)
#define USE_DIVIDER (1u << 22)
#define DIVIDER (15u << 23)
#define WRITABLE 0x07de2bf3u /* and bit 12, which is 1 after a reset */

/* A look is 5 cycles at the least, and the internal oscillator may be 30 % fast. */
#define CRYSTAL_LOOKS (15600000u / 5u / 1000u * 20u)

const struct cf_board cf_board = {0};

static struct {
    uint32_t rcc, ris;
    uint32_t crystal_looks, pll_looks;
    bool pll_works;
} m;

static uint32_t divided(uint32_t hz) {
    return (m.rcc & USE_DIVIDER) != 0 ? hz / ((m.rcc >> 23 & 15u) + 1u) : hz;
}

static uint32_t core_hz(void) {
    if ((m.rcc & BYPASS) == 0) {
        return divided(200000000u);
    }
    return divided((m.rcc & SOURCE) == 0 ? 8000000u : 12000000u);
}

uint32_t cf_mmio_read(uintptr_t address) {
    m.crystal_looks += (m.rcc & MAIN_OFF) == 0;
    if ((m.rcc & PLL_OFF) == 0 && m.pll_works && ++m.pll_looks == LOOKS_TO_READY) {
        m.ris |= PLL_LOCKED;
    }
    switch (address) {
    case RIS: return m.ris;
    case RCC: return m.rcc;
    case SYSCTL + 0x108u: return 0; /* RCGC2 */
    default: FORBID("a look at another register"); return 0;
    }
}

static void write_rcc(uint32_t value) {
    const uint32_t changed = m.rcc ^ value;

    FORBID((value & ~(WRITABLE | 1u << 12)) != 0);
    FORBID((value & SOURCE) > FROM_INTERNAL || (value & (SOURCE | INTERNAL_OFF)) == (FROM_INTERNAL | INTERNAL_OFF));
    FORBID((value & (SOURCE | MAIN_OFF)) == MAIN_OFF);
    if ((changed & BYPASS) != 0 && (value & BYPASS) != 0) {
        FORBID((value & USE_DIVIDER) != 0); /* step 1: both, to a raw clock */
    }
    if ((changed & (XTAL | PLL_OFF)) != 0) {
        FORBID((value & BYPASS) == 0); /* step 2 is without it */
    }
    if ((changed & SOURCE) != 0 && (value & SOURCE) == 0) {
        FORBID((m.rcc & BYPASS) == 0 || m.crystal_looks < CRYSTAL_LOOKS);
    }
    if ((changed & PLL_OFF) != 0 && (value & PLL_OFF) == 0) {
        FORBID((value & XTAL) != XTAL_8_MHZ || (value & SOURCE) != 0);
        m.pll_looks = 0;
    }
    if ((value & BYPASS) == 0) { /* step 5 is the last one, and no other */
        FORBID(changed != BYPASS || (value & PLL_OFF) != 0);
        FORBID((m.ris & PLL_LOCKED) == 0 || m.pll_looks < LOOKS_TO_READY);
        FORBID((value & USE_DIVIDER) == 0 || (value & DIVIDER) < 3u << 23); /* 50 MHz at most */
    }
    if ((changed & MAIN_OFF) != 0) {
        m.crystal_looks = 0;
    }
    m.rcc = value;
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    switch (address) {
    case RCC: write_rcc(value); return;
    case MISC: m.ris &= ~value; return;
    case RIS: FORBID("a write of what only the chip sets"); return;
    default: FORBID(address < 0x40000000u || address >= SYSCTL + 0x1000u); return; /* devices and pins */
    }
}

static void reset(bool pll) {
    memset(&m, 0, sizeof m);
    m.rcc = 0x078e3ad1;
    m.pll_works = pll;
}

static void starts(uint32_t hz) {
    const struct cf_rates rates = cf_chip_init();
    CHECK(core_hz() == hz && rates.clock_hz == hz && rates.uart_hz == hz && rates.conditions == 0);
}

int main(void) {
    reset(true);
    starts(50000000);
    starts(50000000); /* again, as whoever jumps here without a reset leaves it */
    reset(true);
    m.ris = PLL_LOCKED; /* of a PLL that is off now */
    starts(50000000);
    reset(false);
    starts(2000000);
    m.pll_works = true;
    starts(50000000);
    return 0;
}
