/* FE310-G000 Manual, chapters 6 (PRCI), 9 (CLINT), 15 and 16 (AON, RTC): a core that runs from its ring oscillator until the crystal is
 * ready, and two counters of 32768 Hz or so. */
#include "test/clocks/bench.h"

#include "platform/arch.h"

#define PRCI 0x10008000u
#define RTC 0x10000040u
#define MTIME 0x0200bff8u

const struct cf_board cf_board = {0};

static struct {
    uint32_t crystal_hz, ring_hz, rtc_hz, mtime_hz; /* 0: it does not go */
    uint32_t crystal, pll, out, looks, config;
    double rtc, mtime; /* counts */
    uint64_t cycles;
} m;

static bool crystal_ready(void) {
    return (m.crystal & 1u << 30) != 0 && m.crystal_hz != 0 && m.looks >= LOOKS_TO_READY;
}

static uint32_t core_hz(void) {
    return (m.pll & 1u << 16) != 0 ? m.crystal_hz : m.ring_hz;
}

static void pass(uint32_t cycles) {
    m.cycles += cycles;
    const double seconds = (double)cycles / core_hz();
    m.rtc += (m.config & 1u << 12) != 0 ? seconds * m.rtc_hz : 0;
    m.mtime += seconds * m.mtime_hz;
}

uint32_t cf_arch_cycles(void) {
    pass(2);
    return (uint32_t)m.cycles + 0xfffff000u; /* goes over meanwhile */
}

uint32_t cf_mmio_read(uintptr_t address) {
    pass(12);
    switch (address) {
    case PRCI + 4u:
        m.looks += (m.crystal & 1u << 30) != 0;
        return m.crystal | (uint32_t)crystal_ready() << 31;
    case RTC + 8u: return (uint32_t)(uint64_t)m.rtc;
    case MTIME: return (uint32_t)(uint64_t)m.mtime;
    default: FORBID((address & ~0xfffu) != 0x10012000u); return 0; /* pins */
    }
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    pass(12);
    switch (address) {
    case PRCI + 4u:
        FORBID((value & ~(1u << 30)) != 0);
        m.crystal = value;
        return;
    case PRCI + 8u:
        FORBID((value & ~0x70df7u) != 0);
        FORBID((value & 1u << 16) != 0 && ((value & 1u << 17) == 0 || (value & 1u << 18) == 0)); /* not the PLL itself */
        FORBID((value & 1u << 17) != 0 && !crystal_ready());
        FORBID((value & 1u << 16) != 0 && m.out != 1u << 8);
        m.pll = value;
        return;
    case PRCI + 0xcu: m.out = value; return;
    case RTC:
        FORBID((value & ~0x100fu) != 0 || (value & 15u) != 0);
        m.config = value;
        return;
    default: FORBID((address & ~0xfffu) != 0x10012000u); return;
    }
}

static struct cf_rates start(uint32_t crystal_hz, uint32_t rtc_hz, uint32_t mtime_hz) {
    memset(&m, 0, sizeof m);
    m.crystal_hz = crystal_hz;
    m.ring_hz = 13800000;
    m.rtc_hz = rtc_hz;
    m.mtime_hz = mtime_hz;
    m.mtime = 0.7;
    return cf_chip_init();
}

static bool near(uint32_t hz, uint32_t real) {
    return hz > real - real / 256u && hz < real + real / 256u;
}

int main(void) {
    struct cf_rates rates = start(16000000, 32768, 32768);
    CHECK(rates.clock_hz == 32768 && rates.uart_hz == 16000000 && rates.conditions == 0 && core_hz() == 16000000);
    rates = cf_chip_init(); /* again, as a restart leaves it */
    CHECK(rates.clock_hz == 32768 && rates.uart_hz == 16000000 && rates.conditions == 0);

    for (uint32_t hz = 24000; hz <= 42000; hz += 1500) { /* from a ring oscillator */
        rates = start(16000000, hz, hz);
        CHECK(near(rates.clock_hz, hz) && rates.uart_hz == 16000000 && rates.conditions == 0);
    }
    rates = start(0, 32768, 32768);
    CHECK(rates.clock_hz == 32768 && near(rates.uart_hz, 13800000) && rates.conditions == CF_CONDITION_INTERNAL_CLOCK);
    CHECK(core_hz() == 13800000);
    rates = start(16000000, 32768, 1000000); /* a machine timer of another rate */
    CHECK(near(rates.clock_hz, 1000000));
    rates = start(16000000, 0, 10000000); /* QEMU */
    CHECK(rates.clock_hz == 10000000 && rates.uart_hz == 16000000 && rates.conditions == 0);
    return 0;
}
