/* Register names: Arm Generic Interrupt Controller Architecture Specification 2.0, IHI 0048. */
#include "drivers/irq.h"
#include "drivers/mmio.h"
#include "platform/chip.h"

enum {
    GICD_CTLR = 0x000,
    GICD_TYPER = 0x004,
    GICD_ISENABLER = 0x100,
    GICD_ICENABLER = 0x180,
    GICD_ICPENDR = 0x280,
    GICD_ISACTIVER = 0x300,
    GICD_IPRIORITYR = 0x400,
    GICD_ITARGETSR = 0x800,

    GICC_CTLR = 0x00,
    GICC_PMR = 0x04,
    GICC_IAR = 0x0c,
    GICC_EOIR = 0x10,
};

#define DISTRIBUTOR cf_chip.irq_base[0]
#define CPU cf_chip.irq_base[1]

/* Of all, in the middle of what the less privileged side has: firmware may leave any, also one that PMR never lets through. */
#define PRIORITY 0xa0u
#define LOWEST 0xffu

#define FIRST_SPECIAL 1020u /* id: nothing is pending */

static uintptr_t bank(uintptr_t registers, uint32_t id) {
    return registers + (id / 32u) * 4u;
}

static void enable(uint32_t id) {
    /* One target byte per interrupt; ids below 32 belong to a core and have a fixed one. */
    if (id >= 32u) {
        const uintptr_t targets = DISTRIBUTOR + GICD_ITARGETSR + (id & ~3u);
        const uint32_t shift = (id & 3u) * 8u;
        cf_mmio_write(targets, (cf_mmio_read(targets) & ~(0xffu << shift)) | (1u << shift));
    }
    cf_mmio_write(bank(DISTRIBUTOR + GICD_ISENABLER, id), 1u << (id & 31u));
}

/* A restart in the middle of a handler leaves its interrupt active, and with it a priority that would hold back all
 * others. Ending it is what version 1 understands, too. */
static void end_active(uint32_t banks) {
    for (uint32_t id = 0; id < banks * 32u; id++) {
        if ((cf_mmio_read(bank(DISTRIBUTOR + GICD_ISACTIVER, id)) >> (id & 31u) & 1u) != 0) {
            cf_mmio_write(CPU + GICC_EOIR, id);
        }
    }
}

static void start(void) {
    cf_mmio_write(CPU + GICC_CTLR, 0);
    cf_mmio_write(DISTRIBUTOR + GICD_CTLR, 0);
    const uint32_t banks = (cf_mmio_read(DISTRIBUTOR + GICD_TYPER) & 0x1fu) + 1u;
    for (uint32_t id = 0; id < banks * 32u; id += 32u) {
        cf_mmio_write(bank(DISTRIBUTOR + GICD_ICENABLER, id), ~0u);
        cf_mmio_write(bank(DISTRIBUTOR + GICD_ICPENDR, id), ~0u);
    }
    for (uint32_t id = 0; id < banks * 32u; id += 4u) {
        cf_mmio_write(DISTRIBUTOR + GICD_IPRIORITYR + id, PRIORITY * 0x01010101u);
    }
    cf_mmio_write(CPU + GICC_PMR, LOWEST);
    cf_mmio_write(DISTRIBUTOR + GICD_CTLR, 1);
    cf_mmio_write(CPU + GICC_CTLR, 1);
    end_active(banks);
    enable((uint32_t)cf_chip.clock_irq);
    enable(cf_chip.uart_irq);
}

static int32_t claim(void) {
    for (;;) {
        const uint32_t taken = cf_mmio_read(CPU + GICC_IAR); /* with the number of a core, where one has sent it */
        const uint32_t id = taken & 0x3ffu;
        if (id >= FIRST_SPECIAL) {
            return CF_IRQ_NONE;
        }
        if (id == cf_chip.uart_irq || id == (uint32_t)cf_chip.clock_irq) {
            return (int32_t)id;
        }
        cf_mmio_write(bank(DISTRIBUTOR + GICD_ICENABLER, id), 1u << (id & 31u));
        cf_mmio_write(CPU + GICC_EOIR, taken);
    }
}

static void complete(int32_t number) {
    cf_mmio_write(CPU + GICC_EOIR, (uint32_t)number);
}

const struct cf_irq_driver cf_gicv2 = {.start = start, .claim = claim, .complete = complete};
