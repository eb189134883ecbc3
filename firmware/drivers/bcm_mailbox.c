/* Registers and messages: BCM2835 mailboxes, and their property interface, in the wiki of github.com/raspberrypi/firmware. */
#include "drivers/bcm_mailbox.h"

#include <stdbool.h>

#include "core/codes_gen.h"
#include "drivers/mmio.h"
#include "platform/arch.h"

enum {
    READ = 0x00,
    STATUS = 0x18, /* of READ */
    WRITE = 0x20,
    WRITE_STATUS = 0x38,
};

#define STATUS_FULL (1u << 31)
#define STATUS_EMPTY (1u << 30)
#define CHANNEL 8u /* in the low four bits of an address */
#define ANSWERED 0x80000000u

#define TAG_SET_CLOCK 0x00038002u
#define TAG_GET_THROTTLED 0x00030046u
#define CLOCK_UART 2u
#define UART_HZ 48000000u
/* What a divisor of a rate of the line may be made from; others are no answers. */
#define LEAST_UART_HZ 2000000u
#define MOST_UART_HZ 500000000u

/* A look at a device takes 0.1 us and more, an answer a few milliseconds at most. Of one that does not come a watchdog of 100 ms must not
 * take notice: the link waits for it twice. */
#define LOOKS 100000u

/* More than a mailbox has room for. */
#define MOST_LETTERS 16u

#define MOST_VALUES 3u

/* Alone in its lines of the cache. */
static struct {
    uint32_t length; /* bytes, with this one */
    uint32_t code;
    uint32_t tag, room, answer; /* bytes there are for values, and with ANSWERED those that have come */
    uint32_t value[MOST_VALUES + 1]; /* behind them a tag of 0, the end */
    uint32_t rest[7];
} message __attribute__((aligned(64)));

_Static_assert(sizeof message == CF_ARCH_FLUSHED, "what is written back at once");

static bool awaits(uintptr_t status, uint32_t bit) {
    for (uint32_t i = 0; i < LOOKS; i++) {
        if ((cf_mmio_read(status) & bit) == 0) {
            return true;
        }
    }
    return false;
}

/* How many bytes of message.value are an answer. */
static uint32_t answered(void) {
    cf_arch_flush(&message); /* what a core may have read into its cache meanwhile */
    return message.code == ANSWERED && (message.answer & ANSWERED) != 0 ? message.answer - ANSWERED : 0;
}

static uint32_t ask(uintptr_t mailbox, uint32_t view, uint32_t tag, uint32_t words) {
    const uint32_t letter = ((uint32_t)(uintptr_t)&message | view) + CHANNEL;

    message.length = 4u * (6u + words);
    message.code = 0;
    message.tag = tag;
    message.room = 4u * words;
    message.answer = 0;
    message.value[words] = 0; /* the end of all tags */
    cf_arch_flush(&message);
    if (!awaits(mailbox + WRITE_STATUS, STATUS_FULL)) {
        return 0;
    }
    cf_mmio_write(mailbox + WRITE, letter);
    /* What is not for this letter is of one before that nobody waited for any more. */
    for (uint32_t i = 0; i < MOST_LETTERS && awaits(mailbox + STATUS, STATUS_EMPTY); i++) {
        if (cf_mmio_read(mailbox + READ) == letter) {
            return answered();
        }
    }
    return 0;
}
uint32_t cf_bcm_uart_hz(uintptr_t mailbox, uint32_t view) {
    message.value[0] = CLOCK_UART;
    message.value[1] = UART_HZ;
    message.value[2] = 0; /* and no other clock */
    if (ask(mailbox, view, TAG_SET_CLOCK, 3) < 8u || message.value[0] != CLOCK_UART) {
        return UART_HZ;
    }
    const uint32_t hz = message.value[1];
    return hz >= LEAST_UART_HZ && hz <= MOST_UART_HZ ? hz : UART_HZ;
}

/* By bit of the answer: as it is now, and 16 bits above as it has been. */
#define LOW_VOLTAGE (1u << 0)
#define SLOW (7u << 1) /* a limit of the rate, a lower rate, a limit for heat that is near */
#define PAST 16

uint32_t cf_bcm_conditions(uintptr_t mailbox, uint32_t view) {
    message.value[0] = 0; /* and forget nothing */
    if (ask(mailbox, view, TAG_GET_THROTTLED, 1) < 4u) {
        return 0;
    }
    const uint32_t state = message.value[0];
    return ((state & SLOW) != 0 ? CF_CONDITION_THROTTLED : 0) | ((state >> PAST & SLOW) != 0 ? CF_CONDITION_WAS_THROTTLED : 0)
           | ((state & LOW_VOLTAGE) != 0 ? CF_CONDITION_LOW_VOLTAGE : 0)
           | ((state >> PAST & LOW_VOLTAGE) != 0 ? CF_CONDITION_WAS_LOW_VOLTAGE : 0);
}
