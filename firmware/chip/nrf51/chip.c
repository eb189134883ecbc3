/* Nordic nRF51822: nRF51 Series Reference Manual 3.0. Pins are those of the micro:bit's USB interface chip. */
#include "arch/cortex-m/devices.h"
#include "drivers/mmio.h"
#include "drivers/noise.h"
#include "platform/chip.h"

#define UART0 0x40002000u
#define UART0_IRQ 2u
#define UART_PSELTXD (UART0 + 0x50cu)
#define UART_PSELRXD (UART0 + 0x514u)
#define TXD_PIN 24u
#define RXD_PIN 25u

#define CLOCK_HFCLKSTART 0x40000000u
#define CLOCK_HFCLKSTARTED 0x40000100u

#define GPIO_OUTSET 0x50000508u
#define GPIO_DIRSET 0x50000518u

/*
 * Chapters 15, 16 and 18: edges at two pins count in TIMER1 and TIMER2, once lists for the pins have chosen these. The connection is made
 * here, as lists that reach PPI could have any task of the chip started.
 */
#define GPIOTE_IN(n) (0x40006100u + 4u * (n))
#define PPI_CHENSET 0x4001f504u
#define PPI_EEP(n) (0x4001f510u + 8u * (n))
#define PPI_TEP(n) (0x4001f514u + 8u * (n))
#define TIMER1_COUNT 0x40009008u
#define TIMER2_COUNT 0x4000a008u

#define RNG_START 0x4000d000u
#define RNG_VALUE 0x4000d508u

/* A byte takes 0.17 ms. A turn is at least 7 cycles at 16 MHz: 7 ms. */
#define RNG_TURNS 16000u

uint32_t cf_chip_noise(void) {
    cf_mmio_write(RNG_START, 1);
    return cf_noise(RNG_VALUE, RNG_TURNS);
}

CF_VECTORS(UART0_IRQ, CF_NRF51_TIMER_IRQ);

/*
 * Chapter 20: 32 bits of 32768 Hz, whose oscillator it starts itself. Once it runs, nothing but a reset of the chip stops it or changes
 * its time, and one by software is none. CONFIG has it count in sleep, and not while a debugger holds the core.
 */
#define WDT 0x40010000u
#define WDT_START WDT
#define WDT_RUNSTATUS (WDT + 0x400u)
#define WDT_CRV (WDT + 0x504u)
#define WDT_RREN (WDT + 0x508u)
#define WDT_CONFIG (WDT + 0x50cu)
#define WDT_RR0 (WDT + 0x600u)

static const struct cf_watchdog watchdog = {
    .start = CF_STEPS(CF_GIVEN(WDT_CRV, 0), CF_WRITE(WDT_RREN, 1), CF_WRITE(WDT_CONFIG, 1),
                      CF_WRITE(WDT_START, 1)),
    .feed = CF_STEPS(CF_WRITE(WDT_RR0, 0x6e524635)),
    .stop = (const struct cf_step[]){CF_END},
    .stays = 1,
    .scale = 33, /* 32.768 */
    .least = 500,
    .most = 60000,
    .running = WDT_RUNSTATUS,
    .fixed = WDT_CRV,
};

/* The last pages of the flash memory: more than fit its RAM. */
const struct cf_store_memory cf_hal_store_memory = {
    .length = 0x8000,
    .page = 1024,
    .unit = 4,
    .erase_ms = 23,
    .slots = (const uint8_t *)(uintptr_t)0x30000u,
    .first = 32,
};

const struct cf_chip cf_chip = {
    .uart = &cf_nrf51_uart,
    .uart_base = UART0,
    .uart_irq = UART0_IRQ,
    .clock = &cf_nrf51_timer,
    .clock_irq = CF_NRF51_TIMER_IRQ,
    .guard = CF_M_GUARD_FIFO,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
    .flash = &cf_nrf51_flash,
};

/* Without its crystal the chip runs from an RC oscillator of the same frequency, within 1 %. */
static const struct cf_step devices[] = {
    CF_WRITE(GPIO_OUTSET, 1u << TXD_PIN), /* idle */
    CF_WRITE(GPIO_DIRSET, 1u << TXD_PIN),
    CF_WRITE(UART_PSELTXD, TXD_PIN),
    CF_WRITE(UART_PSELRXD, RXD_PIN),
    CF_WRITE(PPI_EEP(0), GPIOTE_IN(0)),
    CF_WRITE(PPI_TEP(0), TIMER1_COUNT),
    CF_WRITE(PPI_EEP(1), GPIOTE_IN(1)),
    CF_WRITE(PPI_TEP(1), TIMER2_COUNT),
    CF_WRITE(PPI_CHENSET, 3),
    CF_WRITE(CLOCK_HFCLKSTART, 1),
    CF_AWAIT_ONES(CLOCK_HFCLKSTARTED, 1),
    CF_END,
};

struct cf_rates cf_chip_init(void) {
    (void)cf_steps(devices, 0);
    return (struct cf_rates){.clock_hz = CF_NRF51_TIMER_HZ, .uart_hz = 0};
}
