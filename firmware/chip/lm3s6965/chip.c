/* Stellaris LM3S6965: Texas Instruments data sheet DS-LM3S6965. 50 MHz from the 8 MHz crystal of the evaluation board; UART0
 * on PA1 (sends) and PA0 (receives), which go to the board's USB. */
#include "arch/cortex-m/devices.h"
#include "drivers/mmio.h"
#include "drivers/steps.h"
#include "platform/chip.h"

#define SYSCTL 0x400fe000u
#define PBORCTL (SYSCTL + 0x030u)
#define PBORCTL_RESET 0x7fffu /* resets where the voltage drops; as after a reset it would raise an interrupt */
#define RIS (SYSCTL + 0x050u)
#define MISC (SYSCTL + 0x058u)
#define RCC (SYSCTL + 0x060u)
#define RCGC0 (SYSCTL + 0x100u)
#define RCGC1 (SYSCTL + 0x104u)
#define RCGC2 (SYSCTL + 0x108u)
#define RIS_PLL_LOCKED (1u << 6)
#define RCGC0_RESET (1u << 6) /* hibernation module */
#define RCGC0_WATCHDOG (1u << 3)
#define RCGC1_UART0 (1u << 0)
#define RCGC2_PORT_A (1u << 0)

#define RCC_INTERNAL (1u << 4) /* 12 MHz within 30 %, in use after a reset */
#define RCC_XTAL_8_MHZ (0xeu << 6)
#define RCC_BYPASS (1u << 11)
#define RCC_PLL_OFF (3u << 12) /* and its output, on earlier chips */
#define RCC_USE_DIVIDER (1u << 22)
#define RCC_DIVIDE_BY(n) (((n) - 1u) << 23) /* of the PLL's 200 MHz */
#define DIVIDE 4
#define RCC_RUN (RCC_DIVIDE_BY(DIVIDE) | RCC_USE_DIVIDER | RCC_XTAL_8_MHZ)
#define RCC_RAW (RCC_DIVIDE_BY(16) | RCC_BYPASS | RCC_INTERNAL) /* as after a reset, with the main oscillator on */

/* Nothing tells when the crystal has started. Reads that take 20 ms at the least: of 5 cycles each, at 12 MHz and 30 %. */
#define CRYSTAL_READS 70000u

#define PORT_A 0x40004000u
#define GPIO_AFSEL (PORT_A + 0x420u)
#define GPIO_DEN (PORT_A + 0x51cu)
#define PINS 3u

#define UART0 0x4000c000u
#define UART0_IRQ 5u
#define CLOCK_HZ 50000000u
#define CRYSTAL_HZ 8000000u

CF_VECTORS(UART0_IRQ, UART0_IRQ);

/*
 * Chapter 11: the device of CF_CMSDK_WATCHDOG, but what has been started cannot be stopped, and its first 0 raises an interrupt that is
 * not enabled: half of the time is up to there, half to the reset. So afterwards it has all of its 32 bits: 86 s until there.
 */
#define WATCHDOG 0x40000000u
#define WATCHDOG_LOAD WATCHDOG
#define WATCHDOG_CTL (WATCHDOG + 0x8u)
#define WATCHDOG_ICR (WATCHDOG + 0xcu)

static const struct cf_watchdog watchdog = {
    .start = CF_STEPS(CF_GIVEN(WATCHDOG_LOAD, 0), CF_WRITE(WATCHDOG_CTL, 3)),
    .feed = CF_STEPS(CF_WRITE(WATCHDOG_ICR, 1)),
    .stop = CF_STEPS(CF_WRITE(WATCHDOG_LOAD, 0xffffffff)),
    .stays = 1,
    .scale = CLOCK_HZ / 2000u,
    .least = 100,
    .most = 60000,
};

const struct cf_chip cf_chip = {
    .uart = &cf_pl011,
    .uart_base = UART0,
    .uart_irq = UART0_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = CF_M_GUARD_FIFO,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
};

/* Steps 2 to 5 of the manual's 5.3, "Initialization and Configuration": crystal, oscillator and PLL; divider; lock; no bypass any more. */
static const struct cf_step to_pll[] = {
    CF_WRITE(MISC, RIS_PLL_LOCKED), /* a lock of before, which is kept until then */
    CF_WRITE(RCC, RCC_DIVIDE_BY(16) | RCC_BYPASS | RCC_XTAL_8_MHZ),
    CF_WRITE(RCC, RCC_RUN | RCC_BYPASS),
    CF_AWAIT_ONES(RIS, RIS_PLL_LOCKED),
    CF_WRITE(RCC, RCC_RUN),
    CF_END,
};

static uint32_t start_clocks(void) {
    /* Step 1: neither PLL nor divider. The crystal starts, and the PLL goes off, so that it locks anew. */
    cf_mmio_write(RCC, RCC_RAW | RCC_PLL_OFF);
    for (uint32_t i = 0; i < CRYSTAL_READS; i++) {
        (void)cf_mmio_read(RCC);
    }
    return cf_steps(to_pll, 0) ? CLOCK_HZ : CRYSTAL_HZ / DIVIDE;
}

static const struct cf_step devices[] = {
    CF_WRITE(PBORCTL, PBORCTL_RESET),
    CF_WRITE(RCGC0, RCGC0_RESET | RCGC0_WATCHDOG),
    CF_WRITE(RCGC1, RCGC1_UART0),
    CF_WRITE(RCGC2, RCGC2_PORT_A),
    CF_READ(RCGC2), /* the port answers a few cycles later */
    CF_WRITE(GPIO_AFSEL, PINS),
    CF_WRITE(GPIO_DEN, PINS),
    CF_END,
};

struct cf_rates cf_chip_init(void) {
    const uint32_t hz = start_clocks();

    (void)cf_steps(devices, 0);
    return (struct cf_rates){.clock_hz = hz, .uart_hz = hz};
}
