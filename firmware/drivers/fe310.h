/*
 * What is the same of all chips FE310: UART0 on GPIO 16 and 17, CLINT, PLIC, the crystal of 16 MHz. Registers: SiFive FE310-G000 Manual,
 * chapters 6 (PRCI), 14 to 16 (AON) and 17 (GPIO); the same in that of the FE310-G002. QEMU's machine "sifive_e" has no real-time clock
 * (it reads 0), and its machine timer counts 10 MHz. A chip includes this and nothing else.
 */
#ifndef CF_FE310_H
#define CF_FE310_H

#include "core/codes_gen.h"
#include "drivers/mmio.h"
#include "platform/arch.h"
#include "platform/chip.h"

#define CLINT 0x02000000u
#define MTIME_LOW (CLINT + 0xbff8u)
#define PLIC 0x0c000000u
#define PRCI 0x10008000u
#define GPIO 0x10012000u
#define UART0 0x10013000u
#define UART0_IRQ 3u
#define CRYSTAL_HZ 16000000u
#define UART0_PINS (3u << 16)
#define EMULATED_TIMER_HZ 10000000u

#define AON 0x10000000u

/*
 * The watchdog counts the 32768 Hz of the always-on domain, also without a clock of the core, and resets when the 16 bits that its scale
 * names reach the comparator: 2^5, 1024 a second. Each write needs the key right before it.
 */
#define WDOG_CONFIG AON
#define WDOG_FEED (AON + 0x18u)
#define WDOG_KEY (AON + 0x1cu)
#define WDOG_COMPARE (AON + 0x20u)
#define KEY 0x51f15eu
#define FOOD 0xd09f00du
#define WDOG_ON (1u << 12 | 1u << 8 | 5u) /* always, resets */
#define WDOG_OFF 5u

static const struct cf_watchdog watchdog = {
    .start = CF_STEPS(CF_WRITE(WDOG_KEY, KEY), CF_WRITE(WDOG_FEED, FOOD), CF_WRITE(WDOG_KEY, KEY), CF_GIVEN(WDOG_COMPARE, 0),
                      CF_WRITE(WDOG_KEY, KEY), CF_WRITE(WDOG_CONFIG, WDOG_ON)),
    .feed = CF_STEPS(CF_WRITE(WDOG_KEY, KEY), CF_WRITE(WDOG_FEED, FOOD)),
    .stop = CF_STEPS(CF_WRITE(WDOG_KEY, KEY), CF_WRITE(WDOG_CONFIG, WDOG_OFF)),
    .scale = 1049,
    .shift = 10,
    .least = 100,
    .most = 60000,
};

const struct cf_chip cf_chip = {
    .uart = &cf_sifive_uart,
    .uart_base = UART0,
    .uart_irq = UART0_IRQ,
    .clock = &cf_clint,
    .clock_base = CLINT,
    .clock_irq = CF_IRQ_CORE,
    .irq = &cf_plic,
    .irq_base = {PLIC},
    .watchdog = &watchdog,
};

enum {
    PRCI_CRYSTAL = 0x04,
    PRCI_PLL = 0x08,
    PRCI_PLL_OUT = 0x0c,
    GPIO_FUNCTION_ENABLE = 0x38,
    GPIO_FUNCTION_SELECT = 0x3c,
};

#define CRYSTAL_ON (1u << 30)
#define CRYSTAL_READY (1u << 31)
#define CRYSTAL_TURNS 100000u /* far more than it takes */
#define PLL_SELECT (1u << 16)
#define PLL_FROM_CRYSTAL (1u << 17)
#define PLL_BYPASS (1u << 18)
#define PLL_OUT_UNDIVIDED (1u << 8)

/* Returns false where the crystal does not start: the core stays with its ring oscillator. */
static bool clock_from_crystal(void) {
    cf_mmio_write(PRCI + PRCI_CRYSTAL, CRYSTAL_ON);
    for (uint32_t i = 0; (cf_mmio_read(PRCI + PRCI_CRYSTAL) & CRYSTAL_READY) == 0; i++) {
        if (i == CRYSTAL_TURNS) {
            return false;
        }
    }
    cf_mmio_write(PRCI + PRCI_PLL_OUT, PLL_OUT_UNDIVIDED);
    cf_mmio_write(PRCI + PRCI_PLL, PLL_SELECT | PLL_FROM_CRYSTAL | PLL_BYPASS);
    return true;
}

#define RTC_CONFIG (AON + 0x40u)
#define RTC_LOW (AON + 0x48u)
#define RTC_ON (1u << 12) /* always */
#define RTC_HZ 32768u
#define RTC_TURNS 4000u /* of 10 cycles and more; a count takes 488 */
#define RTC_COUNTS 128u /* 4 ms: the cycles of one look are 1 part in 6000 of that */

/* Waits for the next count. Returns false if none comes. */
static bool next_count(uint32_t *count) {
    for (uint32_t i = 0; i < RTC_TURNS; i++) {
        const uint32_t present = cf_mmio_read(RTC_LOW);
        if (present != *count) {
            *count = present;
            return true;
        }
    }
    return false;
}

/* What the core and the machine timer have counted meanwhile. */
struct counts {
    uint32_t cycles, ticks;
};

static bool count(struct counts *counts) {
    uint32_t present = cf_mmio_read(RTC_LOW);

    cf_mmio_write(RTC_CONFIG, RTC_ON);
    if (!next_count(&present)) {
        return false;
    }
    const struct counts first = {cf_arch_cycles(), cf_mmio_read(MTIME_LOW)};
    for (uint32_t i = 0; i < RTC_COUNTS; i++) {
        if (!next_count(&present)) {
            return false;
        }
    }
    *counts = (struct counts){cf_arch_cycles() - first.cycles, cf_mmio_read(MTIME_LOW) - first.ticks};
    return counts->cycles != 0;
}

/* Nearer to its nominal rate than this, a rate is that: one part in so many. */
#define NEAR 256u

static uint32_t rounded(uint32_t hz, uint32_t nominal) {
    const uint32_t off = hz > nominal ? hz - nominal : nominal - hz;
    return off <= nominal / NEAR ? nominal : hz;
}

/*
 * The clock that times runs counts what the real-time clock counts: a crystal of 32768 Hz, or a ring oscillator that is off by a quarter.
 * So it is measured with the core's crystal; if that is missing, the core's clock is measured with it instead.
 */
static struct cf_rates measure(bool crystal) {
    struct cf_rates rates = {.clock_hz = EMULATED_TIMER_HZ, .uart_hz = CRYSTAL_HZ};
    struct counts counts;
    uint32_t rtc_hz = RTC_HZ;

    if (!count(&counts)) {
        return rates;
    }
    if (crystal) {
        rtc_hz = rounded(CRYSTAL_HZ * RTC_COUNTS / counts.cycles, RTC_HZ);
    } else {
        rates.uart_hz = counts.cycles * (RTC_HZ / RTC_COUNTS);
        rates.conditions = CF_CONDITION_INTERNAL_CLOCK;
    }
    /* One more or less is where the counts begin. */
    const bool same = counts.ticks - (RTC_COUNTS - 1u) <= 2u;
    rates.clock_hz = same ? rtc_hz : (uint32_t)((uint64_t)rtc_hz * counts.ticks / RTC_COUNTS);
    return rates;
}

struct cf_rates cf_chip_init(void) {
    const bool crystal = clock_from_crystal();
    cf_mmio_write(GPIO + GPIO_FUNCTION_SELECT, cf_mmio_read(GPIO + GPIO_FUNCTION_SELECT) & ~UART0_PINS);
    cf_mmio_write(GPIO + GPIO_FUNCTION_ENABLE, cf_mmio_read(GPIO + GPIO_FUNCTION_ENABLE) | UART0_PINS);
    return measure(crystal);
}

#endif
