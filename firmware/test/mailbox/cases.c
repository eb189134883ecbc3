/* The VideoCore behind its mailbox: two queues, one of which may hold letters of before, a message that only memory holds, not the
 * core's cache, and answers that are missing, short or absurd. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/codes_gen.h"
#include "drivers/bcm_mailbox.h"
#include "drivers/mmio.h"
#include "platform/arch.h"
#include "test/check.h"

#define MAILBOX 0x3f00b880u
#define VIEW CF_BCM_UNCACHED
#define NOT_READY 3 /* looks until there is room, and until there is an answer */

static struct {
    uint32_t letters[4], count; /* to be read */
    uint32_t room_looks, answer_looks;
    bool deaf, silent;
    uint32_t tag;                  /* the one that is known */
    uint32_t given[3], taken[3];   /* of its values */
    uint32_t answer_bytes, code;
    uint8_t memory[CF_ARCH_FLUSHED]; /* what it sees */
    void *message;
    bool stale;                    /* the core has not flushed since the VideoCore has written */
} m;

void cf_arch_flush(const void *bytes) {
    CHECK((uintptr_t)bytes % CF_ARCH_FLUSHED == 0);
    m.message = (void *)(uintptr_t)bytes;
    if (m.stale) { /* the answer, as memory has it */
        memcpy(m.message, m.memory, sizeof m.memory);
        m.stale = false;
        return;
    }
    memcpy(m.memory, bytes, sizeof m.memory);
}

static uint32_t word(uint32_t i) {
    uint32_t v;
    memcpy(&v, m.memory + 4u * i, 4);
    return v;
}

static void put(uint32_t i, uint32_t v) {
    memcpy(m.memory + 4u * i, &v, 4);
}

static void take(uint32_t letter) {
    CHECK((letter & 15u) == 8 && (letter & 0xc0000000u) == VIEW);
    CHECK(((letter ^ (uint32_t)(uintptr_t)m.message) & 0x3ffffff0u) == 0);
    const uint32_t words = word(3) / 4u;
    CHECK(word(0) >= 4u * (6u + words) && word(0) <= CF_ARCH_FLUSHED && word(1) == 0 && words >= 1 && words <= 3 && word(4) == 0);
    CHECK(word(5 + words) == 0);
    for (uint32_t i = 0; i < words; i++) {
        m.taken[i] = word(5 + i);
    }
    if (m.silent) {
        return;
    }
    put(1, m.code);
    if (word(2) == m.tag) {
        put(4, 0x80000000u | m.answer_bytes);
        for (uint32_t i = 0; i < words && 4u * i < m.answer_bytes; i++) {
            put(5 + i, m.given[i]);
        }
    }
    m.stale = true;
    m.answer_looks = NOT_READY;
    m.letters[m.count++] = letter;
}

uint32_t cf_mmio_read(uintptr_t address) {
    switch (address - MAILBOX) {
    case 0x18:
        if (m.answer_looks != 0) {
            m.answer_looks--;
            return 1u << 30;
        }
        return m.count == 0 ? 1u << 30 : 0;
    case 0x38:
        if (m.room_looks != 0) {
            m.room_looks--;
            return 1u << 31;
        }
        return m.deaf ? 1u << 31 : 0;
    case 0x00: {
        CHECK(m.count != 0 && m.answer_looks == 0);
        const uint32_t first = m.letters[0];
        memmove(m.letters, m.letters + 1, sizeof m.letters - sizeof m.letters[0]);
        m.count--;
        return first;
    }
    default:
        CHECK(!"a look at another register");
        return 0;
    }
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    CHECK(address == MAILBOX + 0x20u && m.room_looks == 0 && !m.deaf);
    take(value);
}

static void reset(uint32_t tag, uint32_t bytes, uint32_t first, uint32_t second) {
    memset(&m, 0, sizeof m);
    m.tag = tag;
    m.answer_bytes = bytes;
    m.given[0] = first;
    m.given[1] = second;
    m.code = 0x80000000u;
    m.room_looks = NOT_READY;
}

#define SET_CLOCK 0x00038002u
#define GET_THROTTLED 0x00030046u

static void clock_rate(void) {
    reset(SET_CLOCK, 8, 2, 48000000);
    CHECK(cf_bcm_uart_hz(MAILBOX, VIEW) == 48000000 && m.taken[0] == 2 && m.taken[1] == 48000000 && m.taken[2] == 0);
    reset(SET_CLOCK, 8, 2, 47999625); /* what the divider makes */
    CHECK(cf_bcm_uart_hz(MAILBOX, VIEW) == 47999625);
    m.letters[m.count++] = 0x12345670u | 8u; /* of a letter that nobody waited for */
    m.letters[m.count++] = 3;
    CHECK(cf_bcm_uart_hz(MAILBOX, VIEW) == 47999625 && m.count == 0);
    reset(SET_CLOCK, 8, 2, 3000000); /* fixed by an old firmware */
    CHECK(cf_bcm_uart_hz(MAILBOX, VIEW) == 3000000);

    static const struct {
        uint32_t bytes, first, second;
    } bad[] = {{8, 2, 0}, {8, 2, 0xffffffff}, {8, 4, 250000000}, {4, 2, 7000000}, {0, 0, 0}};
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        reset(SET_CLOCK, bad[i].bytes, bad[i].first, bad[i].second);
        CHECK(cf_bcm_uart_hz(MAILBOX, VIEW) == 48000000);
    }
    reset(SET_CLOCK, 8, 2, 3000000);
    m.code = 0x80000001u; /* it has not understood */
    CHECK(cf_bcm_uart_hz(MAILBOX, VIEW) == 48000000);
    reset(0, 8, 2, 3000000); /* it does not know the tag */
    CHECK(cf_bcm_uart_hz(MAILBOX, VIEW) == 48000000);
    reset(SET_CLOCK, 8, 2, 3000000);
    m.silent = true;
    CHECK(cf_bcm_uart_hz(MAILBOX, VIEW) == 48000000);
    reset(SET_CLOCK, 8, 2, 3000000);
    m.deaf = true;
    CHECK(cf_bcm_uart_hz(MAILBOX, VIEW) == 48000000);
}

static void conditions(void) {
    static const struct {
        uint32_t state, conditions;
    } cases[] = {
        {0, 0},
        {1u << 0, CF_CONDITION_LOW_VOLTAGE},
        {1u << 1, CF_CONDITION_THROTTLED},
        {1u << 2, CF_CONDITION_THROTTLED},
        {1u << 3, CF_CONDITION_THROTTLED},
        {1u << 16, CF_CONDITION_WAS_LOW_VOLTAGE},
        {1u << 17, CF_CONDITION_WAS_THROTTLED},
        {1u << 18, CF_CONDITION_WAS_THROTTLED},
        {1u << 19, CF_CONDITION_WAS_THROTTLED},
        {0x50005, CF_CONDITION_LOW_VOLTAGE | CF_CONDITION_THROTTLED | CF_CONDITION_WAS_LOW_VOLTAGE | CF_CONDITION_WAS_THROTTLED},
        {0xfff0fff0u, 0},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reset(GET_THROTTLED, 4, cases[i].state, 0);
        CHECK(cf_bcm_conditions(MAILBOX, VIEW) == cases[i].conditions && m.taken[0] == 0);
    }
    reset(0, 4, 0xf000f, 0);
    CHECK(cf_bcm_conditions(MAILBOX, VIEW) == 0);
    reset(GET_THROTTLED, 4, 0xf000f, 0);
    m.silent = true;
    CHECK(cf_bcm_conditions(MAILBOX, VIEW) == 0);
    m.silent = false; /* and it goes on when that has passed */
    CHECK(cf_bcm_conditions(MAILBOX, VIEW) != 0);
}

int main(void) {
    clock_rate();
    conditions();
    return 0;
}
