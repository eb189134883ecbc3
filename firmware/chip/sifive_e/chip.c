/*
 * FE310-G000 as QEMU's "sifive_e" machine has it: UART0 on GPIO 16 and 17, CLINT, PLIC. Clock and pins are set as the real
 * chip needs them (SiFive FE310-G000 Manual, chapters 6 and 17); TIMER_HZ is QEMU's, the real one counts 32768 Hz.
 */
#include "drivers/mmio.h"
#include "platform/chip.h"

#define CLINT 0x02000000u
#define PLIC 0x0c000000u
#define PRCI 0x10008000u
#define GPIO 0x10012000u
#define UART0 0x10013000u
#define UART0_IRQ 3u
#define UART_HZ 16000000u
#define UART0_PINS (3u << 16)
#define TIMER_HZ 10000000u

/*
 * Chapter 14: counts the 32768 Hz of the always-on domain, also without a clock of the core, and resets when the 16 bits that its scale
 * names reach the comparator: 2^5, 1024 a second. Each write needs the key right before it.
 */
#define AON 0x10000000u
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
#define CRYSTAL_TURNS 100000u /* far more than it takes; a crystal that never gets ready must not hold up the start */
#define PLL_SELECT (1u << 16)
#define PLL_FROM_CRYSTAL (1u << 17)
#define PLL_BYPASS (1u << 18)
#define PLL_OUT_UNDIVIDED (1u << 8)

/* UART_HZ from the crystal: the ring oscillator of reset is too inexact for a UART. */
static void clock_from_crystal(void) {
    cf_mmio_write(PRCI + PRCI_CRYSTAL, CRYSTAL_ON);
    for (uint32_t i = 0; i < CRYSTAL_TURNS && (cf_mmio_read(PRCI + PRCI_CRYSTAL) & CRYSTAL_READY) == 0; i++) {
    }
    cf_mmio_write(PRCI + PRCI_PLL_OUT, PLL_OUT_UNDIVIDED);
    cf_mmio_write(PRCI + PRCI_PLL, PLL_SELECT | PLL_FROM_CRYSTAL | PLL_BYPASS);
}

struct cf_rates cf_chip_init(void) {
    clock_from_crystal();
    cf_mmio_write(GPIO + GPIO_FUNCTION_SELECT, cf_mmio_read(GPIO + GPIO_FUNCTION_SELECT) & ~UART0_PINS);
    cf_mmio_write(GPIO + GPIO_FUNCTION_ENABLE, cf_mmio_read(GPIO + GPIO_FUNCTION_ENABLE) | UART0_PINS);
    return (struct cf_rates){.clock_hz = TIMER_HZ, .uart_hz = UART_HZ};
}
