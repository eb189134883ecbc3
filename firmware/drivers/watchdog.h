/*
 * What the watchdogs of chips take: lists of steps, which platform/watchdog.c has carried out, and how long they count. The chip names
 * one constant, made here where several chips have the same device.
 */
#ifndef CF_WATCHDOG_H
#define CF_WATCHDOG_H

#include <stdint.h>

#include "drivers/steps.h"

struct cf_watchdog {
    /* They are given the counts of the loop's time; to stop, 0. */
    const struct cf_step *start;
    const struct cf_step *feed;
    const struct cf_step *stop; /* where the hardware cannot, the longest time, which what RUN takes at most must fit unless `fixed` is there */
    uint32_t stays;       /* it cannot be stopped: it is also fed while no loop has it, and before it runs, where that must be harmless */
    /* A time of m milliseconds is (m * scale) >> shift counts, for least <= m <= most: m * scale fits 32 bits, the counts 31. */
    uint32_t scale;
    uint32_t shift;
    uint32_t least; /* more than it takes to send 254 bytes at the lowest rate, and twice the way to the first tick, 2 ms */
    uint32_t most;
    /* Where the time cannot be changed while it runs: a register whose bit 0 says that it does, and the one that has the counts. Then
     * the clock has an interrupt often enough to feed it in. */
    uint32_t running;
    uint32_t fixed;
};

/*
 * Independent watchdog of the STM32 (RM0090 and RM0390 chapter 21, RM0041 chapter 17): counts an RC oscillator of 32 kHz (STM32F4:
 * 17 to 47 kHz) or 40 kHz (STM32F1: 30 to 60 kHz), by 256, in 12 bits: at least 17 s at most. The key 0xcccc starts it for good, and the
 * oscillator, without which the registers behind the key 0x5555 take nothing over. They need 5 of its cycles for it, 0.3 ms at most, and
 * say so in SR; before that they must not be written again and feeding takes the old time. On reset it is off, unless an option byte
 * says otherwise: then feeding keeps it.
 */
#define CF_IWDG_KEY(base) (base)
#define CF_IWDG_PRESCALER(base) ((base) + 0x4u)
#define CF_IWDG_RELOAD(base) ((base) + 0x8u)
#define CF_IWDG_STATUS(base) ((base) + 0xcu)
#define CF_IWDG(counts, shifts, greatest) CF_IWDG_AT(0x40003000u, (counts), (shifts), (greatest))
#define CF_IWDG_AT(base, counts, shifts, greatest)                                                                     \
    {                                                                                                                  \
        .start = CF_STEPS(CF_WRITE(CF_IWDG_KEY(base), 0xcccc), CF_WRITE(CF_IWDG_KEY(base), 0x5555),                    \
                          CF_WRITE(CF_IWDG_PRESCALER(base), 6), CF_GIVEN(CF_IWDG_RELOAD(base), 0),                     \
                          CF_AWAIT_ZEROS(CF_IWDG_STATUS(base), 3), CF_WRITE(CF_IWDG_KEY(base), 0xaaaa)),               \
        .feed = CF_STEPS(CF_WRITE(CF_IWDG_KEY(base), 0xaaaa)),                                                         \
        .stop = CF_STEPS(CF_WRITE(CF_IWDG_KEY(base), 0x5555), CF_WRITE(CF_IWDG_RELOAD(base), 0xfff),                   \
                         CF_AWAIT_ZEROS(CF_IWDG_STATUS(base), 3), CF_WRITE(CF_IWDG_KEY(base), 0xaaaa)),                \
        .stays = 1, .scale = (counts), .shift = (shifts), .least = 100, .most = (greatest),                            \
    }

/*
 * APB watchdog of the Cortex-M System Design Kit (DDI 0479, 4.6): counts down from WDOGLOAD. At 0 it raises the NMI, whose vector
 * restarts the chip, and counts again; at the second 0 it resets by itself, if the restart has not come about. Bits 0 and 1 of
 * WDOGCONTROL let it count and, then, reset. Not locked after reset. QEMU 7.2 has it count from reset on, and keeps in mind that it has
 * come to 0 until it is enabled: so it is fed, and has its longest time, when it is off, too.
 */
#define CF_CMSDK_WATCHDOG(base, counts)                                                                                \
    {                                                                                                                  \
        .start = CF_STEPS(CF_GIVEN((base), 0), CF_WRITE((base) + 0x8u, 3)),                                            \
        .feed = CF_STEPS(CF_WRITE((base) + 0xcu, 1)),                                                                  \
        .stop = CF_STEPS(CF_WRITE((base) + 0x8u, 0), CF_WRITE((base), 0xffffffff)), .stays = 1,                        \
        .scale = (counts), .least = 100, .most = 60000,                                                                \
    }

/*
 * Watchdog of the RP2 family (RP2040 datasheet 4.7, RP2350 datasheet 12.9): 24 bits, down at each tick, of which 12 cycles of the
 * reference clock make one: a microsecond with the crystal of 12 MHz that the boards have. At 0 it resets what PSM_WDSEL names, all but
 * the two oscillators, and the boot ROM starts the runner. It stands still while a debugger holds the cores (bits 24 to 26 of CTRL).
 */
#define CF_RP2_WATCHDOG_CTRL(base) (base)
#define CF_RP2_WATCHDOG_LOAD(base) ((base) + 4u)
#define CF_RP2_WATCHDOG_OFF 0x07000000u
#define CF_RP2_WATCHDOG_ON 0x47000000u
#define CF_RP2_WATCHDOG(base, counts, select, blocks, ...)                                                             \
    {                                                                                                                  \
        .start = CF_STEPS(CF_WRITE((select), (blocks)), __VA_ARGS__, CF_GIVEN(CF_RP2_WATCHDOG_LOAD(base), 0),          \
                          CF_WRITE(CF_RP2_WATCHDOG_CTRL(base), CF_RP2_WATCHDOG_ON)),                                   \
        .feed = CF_STEPS(CF_GIVEN(CF_RP2_WATCHDOG_LOAD(base), 0)),                                                     \
        .stop = CF_STEPS(CF_WRITE(CF_RP2_WATCHDOG_CTRL(base), CF_RP2_WATCHDOG_OFF)),                                   \
        .scale = (counts), .least = 100, .most = 0xffffffu / (counts),                                                 \
    }

/*
 * Watchdog of the Raspberry Pi's power management, which Broadcom's manuals leave out: as the driver of Linux, bcm2835_wdt, has it.
 * Each write carries a password. 20 bits count 65536 Hz down; what RSTC says happens at 0: bits 4 and 5, 2 is a full reset, after which
 * the firmware starts the runner from the card. RSTC is 0x102 after reset and when it is off.
 */
#define CF_BCM_PM_PASSWORD 0x5a000000u
#define CF_BCM_WATCHDOG(pm)                                                                                            \
    {                                                                                                                  \
        .start = CF_STEPS(CF_GIVEN((pm) + 0x24u, CF_BCM_PM_PASSWORD), CF_WRITE((pm) + 0x1cu, CF_BCM_PM_PASSWORD | 0x122u)),\
        .feed = CF_STEPS(CF_GIVEN((pm) + 0x24u, CF_BCM_PM_PASSWORD)),                                                  \
        .stop = CF_STEPS(CF_WRITE((pm) + 0x1cu, CF_BCM_PM_PASSWORD | 0x102u)),                                         \
        .scale = 16777, .shift = 8, .least = 100, .most = 15999,                                                       \
    }

#endif
