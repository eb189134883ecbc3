/* IHI 0048, as a distributor and a CPU interface that firmware has left in any state: an interrupt reaches the core if it is enabled,
 * directed to it, and of a higher priority (a lower number) than the mask and than what is active. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/irq.h"
#include "drivers/mmio.h"
#include "platform/chip.h"
#include "test/check.h"

#define DISTRIBUTOR 0xff841000u
#define CPU 0xff842000u
#define CLOCK 27
#define UART 153
#define OTHER 100
#define IDS 192u
#define IDLE 0x100u /* more than any priority */
#define SPURIOUS 1023u

const struct cf_chip cf_chip = {.clock_irq = CLOCK, .uart_irq = UART, .irq_base = {DISTRIBUTOR, CPU}};

static struct {
    bool enabled[IDS], pending[IDS], active[IDS];
    uint8_t priority[IDS], target[IDS];
    uint32_t distributor, cpu, mask;
} m;

static uint32_t running(void) {
    uint32_t least = IDLE;
    for (uint32_t id = 0; id < IDS; id++) {
        least = m.active[id] && m.priority[id] < least ? m.priority[id] : least;
    }
    return least;
}

/* The interrupt that the core takes now. */
static uint32_t highest(void) {
    uint32_t best = SPURIOUS;
    uint32_t least = running() < m.mask ? running() : m.mask;
    for (uint32_t id = 0; id < IDS; id++) {
        const bool mine = id < 32 || (m.target[id] & 1u) != 0;
        if (m.distributor == 1 && m.cpu == 1 && m.enabled[id] && m.pending[id] && !m.active[id] && mine && m.priority[id] < least) {
            least = m.priority[id];
            best = id;
        }
    }
    return best;
}

static uint32_t bits(const bool *of, uint32_t id) {
    uint32_t word = 0;
    for (uint32_t i = 0; i < 32 && id + i < IDS; i++) {
        word |= (uint32_t)of[id + i] << i;
    }
    return word;
}

static void set(bool *of, uint32_t id, uint32_t word, bool to) {
    for (uint32_t i = 0; i < 32 && id + i < IDS; i++) {
        of[id + i] = (word >> i & 1u) != 0 ? to : of[id + i];
    }
}

uint32_t cf_mmio_read(uintptr_t address) {
    const uint32_t at = (uint32_t)(address - DISTRIBUTOR);
    uint32_t word = 0;
    if (address == CPU + 0x0cu) {
        const uint32_t id = highest();
        if (id != SPURIOUS) {
            m.active[id] = true;
            m.pending[id] = false;
        }
        return id;
    }
    if (at == 0x004) {
        return IDS / 32u - 1u;
    }
    if (at - 0x300u < IDS / 8u) {
        return bits(m.active, (at - 0x300u) * 8u);
    }
    CHECK(at - 0x800u < IDS);
    memcpy(&word, m.target + (at - 0x800u), 4);
    return word;
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    const uint32_t at = (uint32_t)(address - DISTRIBUTOR);
    switch (address) {
    case CPU: m.cpu = value; return;
    case CPU + 0x04u: m.mask = value; return;
    case CPU + 0x10u: m.active[value & 0x3ffu] = false; return;
    case DISTRIBUTOR: m.distributor = value; return;
    default: break;
    }
    if (at - 0x100u < IDS / 8u) {
        CHECK(m.mask == 0xff && m.distributor == 1 && m.cpu == 1);
        set(m.enabled, (at - 0x100u) * 8u, value, true);
    } else if (at - 0x180u < IDS / 8u) {
        set(m.enabled, (at - 0x180u) * 8u, value, false);
    } else if (at - 0x280u < IDS / 8u) {
        set(m.pending, (at - 0x280u) * 8u, value, false);
    } else if (at - 0x400u < IDS) {
        CHECK(m.distributor == 0 && m.cpu == 0); /* or it would count for some, and not yet for others */
        memcpy(m.priority + (at - 0x400u), &value, 4);
    } else {
        CHECK(at - 0x800u < IDS);
        memcpy(m.target + (at - 0x800u), &value, 4);
    }
}

static void left(uint8_t priority, bool active) {
    memset(&m, 0, sizeof m);
    memset(m.priority, priority, sizeof m.priority);
    memset(m.target, 2, sizeof m.target); /* another core */
    memset(m.enabled, 1, sizeof m.enabled);
    m.distributor = m.cpu = 1;
    m.pending[OTHER] = true;
    m.active[UART] = active;
}

static void takes(int32_t number) {
    m.pending[number] = true;
    CHECK(cf_gicv2.claim() == number);
    cf_gicv2.complete(number);
    CHECK(cf_gicv2.claim() == CF_IRQ_NONE);
}

int main(void) {
    static const uint8_t priorities[] = {0, 0x50, 0xa0, 0xf0, 0xff};
    for (uint32_t i = 0; i < 2 * sizeof priorities; i++) {
        left(priorities[i / 2], i % 2 != 0);
        for (int again = 0; again < 2; again++) {
            cf_gicv2.start();
            CHECK(cf_gicv2.claim() == CF_IRQ_NONE && running() == IDLE);
            takes(CLOCK);
            takes(UART);
            m.pending[OTHER] = true;
            CHECK(cf_gicv2.claim() == CF_IRQ_NONE);
            m.pending[CLOCK] = m.pending[UART] = true; /* none holds the other one up for good */
            const int32_t first = cf_gicv2.claim();
            cf_gicv2.complete(first);
            CHECK(cf_gicv2.claim() == CLOCK + UART - first);
            cf_gicv2.complete(CLOCK + UART - first);
        }
    }
    return 0;
}
