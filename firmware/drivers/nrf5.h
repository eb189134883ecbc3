/*
 * Nordic nRF51 and nRF52, for the chip.c of each, which says where the UART's pins are and what its flash memory is like. By the nRF51
 * Series Reference Manual 3.0 and the product specifications of nRF52833 1.6 and nRF52840 1.7, which have the same registers for what is
 * used here; those of the UART are chapter "UART", beside UARTE.
 *
 *   NRF5_TXD, NRF5_RXD   pins 0 to 31 of port 0, 32 to 47 of port 1
 *   NRF5_GUARD           counts of TIMER0
 *   NRF5_NOISE           turns of cf_noise, in which many bytes come about
 *   NRF5_STORE           struct cf_store_memory
 *   NRF5_EASYDMA         steps, if lists for the pins reach devices with EasyDMA
 */
#ifndef CF_NRF5_H
#define CF_NRF5_H

#include "arch/cortex-m/devices.h"
#include "core/codes_gen.h"
#include "drivers/mmio.h"
#include "drivers/noise.h"
#include "platform/chip.h"

#if NRF5_TXD >= 32
#error "the level of a line before it is the UART's is set in port 0"
#endif

#define UART0 0x40002000u
#define UART0_IRQ 2u
#define UART0_HZ 16000000u
#define UART_ENABLE (UART0 + 0x500u)
#define UART_PSELTXD (UART0 + 0x50cu)
#define UART_PSELRXD (UART0 + 0x514u)

#define CLOCK_HFCLKSTART 0x40000000u
#define CLOCK_HFCLKSTARTED 0x40000100u

#define GPIO_OUTSET 0x50000508u
#define GPIO_DIRSET 0x50000518u

/*
 * GPIOTE, PPI and TIMER: edges at two pins count in TIMER1 and TIMER2, once lists for the pins have chosen these. The connection is made
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

uint32_t cf_chip_noise(void) {
    cf_mmio_write(RNG_START, 1);
    return cf_noise(RNG_VALUE, NRF5_NOISE);
}

CF_VECTORS(UART0_IRQ, CF_NRF51_TIMER_IRQ);

/*
 * WDT: 32 bits of 32768 Hz, whose oscillator it starts itself. Once it runs, nothing but a reset of the chip stops it or changes
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

const struct cf_store_memory cf_hal_store_memory = NRF5_STORE;

/* The clock is TIMER0: the nRF51's core has no SysTick, and that of an nRF52 stands still while the processor sleeps. */
const struct cf_chip cf_chip = {
    .uart = &cf_nrf51_uart,
    .uart_base = UART0,
    .uart_irq = UART0_IRQ,
    .clock = &cf_nrf51_timer,
    .clock_irq = CF_NRF51_TIMER_IRQ,
    .guard = NRF5_GUARD,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
    .flash = &cf_nrf51_flash,
};

/* Without its crystal the chip runs from an RC oscillator of the same frequency, within some percent. */
static const struct cf_step devices[] = {
    CF_WRITE(GPIO_OUTSET, 1u << NRF5_TXD), /* idle */
    CF_WRITE(GPIO_DIRSET, 1u << NRF5_TXD),
    CF_WRITE(UART_ENABLE, 0), /* its pins are chosen while it is off */
    CF_WRITE(UART_PSELTXD, NRF5_TXD),
    CF_WRITE(UART_PSELRXD, NRF5_RXD),
    CF_WRITE(PPI_EEP(0), GPIOTE_IN(0)),
    CF_WRITE(PPI_TEP(0), TIMER1_COUNT),
    CF_WRITE(PPI_EEP(1), GPIOTE_IN(1)),
    CF_WRITE(PPI_TEP(1), TIMER2_COUNT),
    CF_WRITE(PPI_CHENSET, 3),
#ifdef NRF5_EASYDMA
    NRF5_EASYDMA,
#endif
    CF_WRITE(CLOCK_HFCLKSTART, 1),
    CF_AWAIT_ONES(CLOCK_HFCLKSTARTED, 1),
    CF_END,
};

struct cf_rates cf_chip_init(void) {
    const uint32_t conditions = cf_steps(devices, 0) ? 0 : CF_CONDITION_INTERNAL_CLOCK;

    return (struct cf_rates){.clock_hz = CF_NRF51_TIMER_HZ, .uart_hz = UART0_HZ, .conditions = conditions};
}

#endif
