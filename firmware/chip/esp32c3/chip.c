/*
 * ESP32-C3. Addresses and bits: esp-idf, soc/esp32c3/register/soc (rtc_cntl_reg.h, system_reg.h, timer_group_reg.h, reg_base.h); order
 * of the clocks: esp_hw_support/port/esp32c3/rtc_clk.c and hal/esp32c3/include/hal/clk_tree_ll.h. The boot ROM leaves the core at 20 MHz
 * of its crystal of 40 MHz, the PLL on, which USB needs, and three watchdogs running.
 */
#include "drivers/mmio.h"
#include "drivers/noise.h"
#include "drivers/steps.h"
#include "platform/chip.h"

#define USB_SERIAL_JTAG 0x60043000u
#define USB_SERIAL_JTAG_SOURCE 26
#define SYSTIMER 0x60023000u
#define INTERRUPTS 0x600c2000u
#define SYSTEM 0x600c0000u
#define RTC 0x60008000u
#define TIMER_GROUP0 0x6001f000u
#define TIMER_GROUP1 0x60020000u
#define RANDOM 0x600260b0u
#define CRYSTAL_HZ 40000000u

#define WATCHDOG_KEY 0x50d83aa1u
#define SUPER_WATCHDOG_KEY 0x8f1d312au

#define RTC_OPTIONS (RTC + 0x00u)
#define RTC_WATCHDOG_CONFIG (RTC + 0x90u)
#define RTC_WATCHDOG_PROTECT (RTC + 0xa8u)
#define SUPER_WATCHDOG_CONFIG (RTC + 0xacu)
#define SUPER_WATCHDOG_PROTECT (RTC + 0xb0u)
#define BROWN_OUT (RTC + 0xd8u)

#define WATCHDOG_CONFIG(group) ((group) + 0x48u)
#define WATCHDOG_PRESCALER(group) ((group) + 0x4cu)
#define WATCHDOG_STAGE0(group) ((group) + 0x50u)
#define WATCHDOG_FEED(group) ((group) + 0x60u)
#define WATCHDOG_PROTECT(group) ((group) + 0x64u)
#define WATCHDOG_UPDATE (1u << 22)
#define WATCHDOG_CRYSTAL (1u << 21)
#define WATCHDOG_RESETS (1u << 31 | 3u << 29) /* the digital part, after stage 0 */
#define WATCHDOG_PULSES (7u << 15 | 7u << 18) /* of 3.2 us, the longest */

#define OFF(group)                                                                                                     \
    CF_WRITE(WATCHDOG_PROTECT(group), WATCHDOG_KEY), CF_WRITE(WATCHDOG_CONFIG(group), WATCHDOG_UPDATE),                \
        CF_WRITE(WATCHDOG_PROTECT(group), 0)

/* That of timer group 0 counts the crystal, by 40000: a count is a millisecond. After it the ROM starts the runner. */
static const struct cf_watchdog watchdog = {
    .start = CF_STEPS(CF_WRITE(WATCHDOG_PROTECT(TIMER_GROUP0), WATCHDOG_KEY),
                      CF_WRITE(WATCHDOG_PRESCALER(TIMER_GROUP0), CRYSTAL_HZ / 1000u << 16), CF_GIVEN(WATCHDOG_STAGE0(TIMER_GROUP0), 0),
                      CF_WRITE(WATCHDOG_FEED(TIMER_GROUP0), 1),
                      CF_WRITE(WATCHDOG_CONFIG(TIMER_GROUP0), WATCHDOG_RESETS | WATCHDOG_PULSES | WATCHDOG_CRYSTAL | WATCHDOG_UPDATE),
                      CF_WRITE(WATCHDOG_PROTECT(TIMER_GROUP0), 0)),
    .feed = CF_STEPS(CF_WRITE(WATCHDOG_PROTECT(TIMER_GROUP0), WATCHDOG_KEY), CF_WRITE(WATCHDOG_FEED(TIMER_GROUP0), 1),
                     CF_WRITE(WATCHDOG_PROTECT(TIMER_GROUP0), 0)),
    .stop = CF_STEPS(OFF(TIMER_GROUP0)),
    .scale = 1,
    .least = 100,
    .most = 60000,
};

const struct cf_chip cf_chip = {
    .uart = &cf_esp_usb_serial,
    .uart_base = USB_SERIAL_JTAG,
    .uart_irq = USB_SERIAL_JTAG_SOURCE,
    .clock = &cf_esp_systimer,
    .clock_base = SYSTIMER,
    .clock_irq = CF_ESP_SYSTIMER_IRQ,
    .irq = &cf_esp_intmtx,
    .irq_base = {INTERRUPTS},
    .watchdog = &watchdog,
};

#define RANDOM_TURNS 64u /* its noise comes slowly while the radio is off */

uint32_t cf_chip_noise(void) {
    return cf_noise(RANDOM, RANDOM_TURNS);
}

/* The super watchdog feeds itself. */
#define SUPER_WATCHDOG_FED (1u << 31)

/* Of SYSTEM: CPU_PER_CONF, SYSCLK_CONF, and the clocks and resets of devices. */
#define CORE (SYSTEM + 0x08u)
#define CLOCKS (SYSTEM + 0x10u)
#define RESETS (SYSTEM + 0x18u)
#define CLOCK (SYSTEM + 0x58u)
#define CORE_WAITS_ON (1u << 3) /* as after a reset: its clock goes on while it waits */
#define CORE_PLL_480 (1u << 2) /* and 80 MHz of it, as esp-idf's boot loader has at this voltage; 160 want a higher one, by the chip's fuses */
#define CLOCK_DIVIDER 0x3ffu
#define CLOCK_FROM 0xc00u
#define CLOCK_FROM_PLL 0x400u
#define DEVICES (1u << 29 | 1u << 23 | 1u << 13 | 1u << 11) /* system timer, USB, timer group 0, LEDC for the loop */

#define PLL_POWERED_DOWN (1u << 10 | 1u << 8 | 1u << 6)

/* Detection on, and a reset of the chip 1023 cycles of the slow clock, 8 ms, after the voltage has dropped: at the level that it has. */
#define BROWN_OUT_RESETS (1u << 30 | 1u << 27 | 1u << 26 | 0x3ffu << 16 | 1u << 4)

static const struct cf_step watchdogs_off[] = {
    CF_WRITE(RTC_WATCHDOG_PROTECT, WATCHDOG_KEY), CF_WRITE(RTC_WATCHDOG_CONFIG, 0), CF_WRITE(RTC_WATCHDOG_PROTECT, 0),
    OFF(TIMER_GROUP0), OFF(TIMER_GROUP1), CF_END,
};

static void change(uintptr_t address, uint32_t clear, uint32_t set) {
    cf_mmio_write(address, (cf_mmio_read(address) & ~clear) | set);
}

struct cf_rates cf_chip_init(void) {
    (void)cf_steps(watchdogs_off, 0);
    cf_mmio_write(SUPER_WATCHDOG_PROTECT, SUPER_WATCHDOG_KEY);
    change(SUPER_WATCHDOG_CONFIG, 0, SUPER_WATCHDOG_FED);
    cf_mmio_write(SUPER_WATCHDOG_PROTECT, 0);
    cf_mmio_write(BROWN_OUT, BROWN_OUT_RESETS);

    change(RTC_OPTIONS, PLL_POWERED_DOWN, 0);
    cf_mmio_write(CORE, CORE_WAITS_ON | CORE_PLL_480);
    change(CLOCK, CLOCK_DIVIDER, 0);
    change(CLOCK, CLOCK_FROM, CLOCK_FROM_PLL);
    change(CLOCKS, 0, DEVICES);
    change(RESETS, DEVICES, 0);
    return (struct cf_rates){.clock_hz = CF_ESP_SYSTIMER_HZ, .uart_hz = CRYSTAL_HZ};
}
