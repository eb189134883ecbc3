/* Stellaris LM3S6965: Texas Instruments data sheet DS-LM3S6965. 50 MHz from the 8 MHz crystal of the evaluation board; UART0
 * on PA1 (sends) and PA0 (receives), which go to the board's USB. */
#include "arch/cortex-m/devices.h"
#include "drivers/mmio.h"
#include "platform/chip.h"

#define SYSCTL 0x400fe000u
#define RIS (SYSCTL + 0x050u)
#define RCC (SYSCTL + 0x060u)
#define RCGC0 (SYSCTL + 0x100u)
#define RCGC1 (SYSCTL + 0x104u)
#define RCGC2 (SYSCTL + 0x108u)
#define RIS_PLL_LOCKED (1u << 6)
#define RCGC0_WATCHDOG (1u << 3)
#define RCGC1_UART0 (1u << 0)
#define RCGC2_PORT_A (1u << 0)

/* Steps of the manual's 5.3: bypass with the main oscillator, PLL on, divider, no bypass any more. */
#define RCC_XTAL_8_MHZ (0xeu << 6)
#define RCC_BYPASS (1u << 11)
#define RCC_USE_DIVIDER (1u << 22)
#define RCC_DIVIDE_BY(n) (((n) - 1u) << 23) /* of the PLL's 200 MHz */
#define DIVIDE 4
#define RCC_RUN (RCC_DIVIDE_BY(DIVIDE) | RCC_USE_DIVIDER | RCC_XTAL_8_MHZ)

#define PORT_A 0x40004000u
#define GPIO_AFSEL (PORT_A + 0x420u)
#define GPIO_DEN (PORT_A + 0x51cu)
#define PINS 3u

#define UART0 0x4000c000u
#define UART0_IRQ 5u
#define CLOCK_HZ 50000000u
#define CRYSTAL_HZ 8000000u

/* The PLL takes 0.5 ms; a turn is at least 5 cycles of 8 MHz. */
#define LOCK_TURNS 10000u

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
    .start = (const uint32_t[]){WATCHDOG_LOAD, CF_WATCHDOG_COUNT, WATCHDOG_CTL, 3, 0},
    .feed = (const uint32_t[]){WATCHDOG_ICR, 1, 0},
    .stop = (const uint32_t[]){WATCHDOG_LOAD, 0xffffffff, 0},
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

struct cf_rates cf_chip_init(void) {
    uint32_t hz = CRYSTAL_HZ / DIVIDE;

    cf_mmio_write(RCC, RCC_RUN | RCC_BYPASS);
    for (uint32_t i = 0; i < LOCK_TURNS; i++) {
        if ((cf_mmio_read(RIS) & RIS_PLL_LOCKED) != 0) {
            cf_mmio_write(RCC, RCC_RUN);
            hz = CLOCK_HZ;
            break;
        }
    }
    cf_mmio_write(RCGC0, cf_mmio_read(RCGC0) | RCGC0_WATCHDOG);
    cf_mmio_write(RCGC1, cf_mmio_read(RCGC1) | RCGC1_UART0);
    cf_mmio_write(RCGC2, cf_mmio_read(RCGC2) | RCGC2_PORT_A);
    (void)cf_mmio_read(RCGC2); /* the port answers a few cycles later */
    (void)cf_mmio_read(RCGC2);
    cf_mmio_write(GPIO_AFSEL, cf_mmio_read(GPIO_AFSEL) | PINS);
    cf_mmio_write(GPIO_DEN, cf_mmio_read(GPIO_DEN) | PINS);
    return (struct cf_rates){.clock_hz = hz, .uart_hz = hz};
}
