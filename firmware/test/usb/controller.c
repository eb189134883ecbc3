/* RP2040 datasheet, 4.1; RP2350 datasheet, 12.7. */
#include "test/usb/model.h"

#define BYTES 4096u
#define BUFFERS 0x80u
#define DATA 0x100u
#define FULL (1u << 15)
#define DATA1 (1u << 13)
#define STALL (1u << 11)
#define AVAILABLE (1u << 10)
#define LENGTH 0x3ffu
#define ENDPOINT_ON (1u << 31)
#define EACH (1u << 29)
#define PULL_UP (1u << 16)
#define BUS_RESET (1u << 19)
#define SETUP_REC (1u << 17)

#ifdef RP2350
#define MUXING_BITS 0x8000001fu
#define INTE_BITS 0x00ffffffu
#define ISOLATED 4u
#else
#define MUXING_BITS 0x0fu
#define INTE_BITS 0x000fffffu
#define ISOLATED 0u
#endif

struct host host;

static struct {
    uint32_t address, main, sie, status, buffers, stall, muxing, power, enabled;
} u;
static uint8_t memory[BYTES];

static uint32_t word(uint32_t at) {
    return (uint32_t)memory[at] | (uint32_t)memory[at + 1] << 8 | (uint32_t)memory[at + 2] << 16 | (uint32_t)memory[at + 3] << 24;
}

static void set_word(uint32_t at, uint32_t value) {
    for (uint32_t i = 0; i < 4; i++) {
        memory[at + i] = (uint8_t)(value >> 8 * i);
    }
}

/* Memory keeps its content, which after power-up is anything. */
void controller_reset(void) {
    static bool filled;
    if (!filled) {
        filled = true;
        memset(memory, 0xa5, sizeof memory);
    }
    memset(&u, 0, sizeof u);
    u.main = ISOLATED;
}

static void reachable(uint32_t at) {
    if (!chip_clocks_usb()) {
        refuse("the controller in reset, or without its clock", at);
    }
}

bool controller_shown(void) {
    return (u.sie & PULL_UP) != 0;
}

static uint32_t raised(void) {
    return (u.buffers != 0 ? 1u << 4 : 0) | ((u.status & BUS_RESET) != 0 ? 1u << 12 : 0) | ((u.status & SETUP_REC) != 0 ? 1u << 16 : 0);
}

bool controller_raised(void) {
    return (raised() & u.enabled) != 0;
}

uint32_t controller_read(uint32_t offset) {
    reachable(offset);
    switch (offset) {
    case 0x50:
        return u.status;
    case 0x58:
        return u.buffers;
    case 0x98:
        return raised() & u.enabled;
    }
    refuse("a read of a register", offset);
}

static void within(uint32_t value, uint32_t bits) {
    if ((value & ~bits) != 0) {
        refuse("reserved bits, or bits of a host", value);
    }
}

void controller_write(uint32_t offset, uint32_t value) {
    reachable(offset);
    switch (offset) {
    case 0x00:
        within(value, 0x7f);
        u.address = value;
        return;
    case 0x40:
        within(value, 1u | ISOLATED);
        for (uint32_t at = 0; (value & 1u) != 0 && at < DATA; at += 4) {
            if (word(at) != 0) {
                refuse("a controller that is turned on with what its memory had", at);
            }
        }
        u.main = value;
        return;
    case 0x4c:
        within(value, 0xf8000000u | PULL_UP | 1u << 12);
        if ((value & PULL_UP) != 0 && (u.main != 1 || (u.muxing & 9u) != 9 || (u.power & 0xcu) != 0xc)) {
            refuse("a device that shows itself before it is ready", value);
        }
        if ((value & 1u << 29) == 0) {
            refuse("endpoint 0 without its interrupt", value);
        }
        u.sie = value;
        return;
    case 0x50:
        within(value, 0xff0f0810u);
        u.status &= ~value;
        return;
    case 0x58:
        u.buffers &= ~value;
        return;
    case 0x68:
        within(value, 3);
        u.stall = value;
        return;
    case 0x74:
        within(value, MUXING_BITS);
        u.muxing = value;
        return;
    case 0x78:
        within(value, 0x3f);
        u.power = value;
        return;
    case 0x90:
        within(value, INTE_BITS);
        u.enabled = value;
        return;
    }
    refuse("a register", offset);
}

/* --- Memory: control of endpoints, of buffers, data. */

static uint32_t buffer_of(bool in, uint32_t endpoint) {
    return BUFFERS + 8 * endpoint + (in ? 0 : 4);
}

static uint32_t control_of(bool in, uint32_t endpoint) {
    return word(8 * endpoint + (in ? 0 : 4));
}

static uint32_t data_of(bool in, uint32_t endpoint) {
    return endpoint == 0 ? DATA : control_of(in, endpoint) & 0xffffu;
}

/* A buffer of data to the host, or one that is being filled by it, is not the processor's. The one of endpoint 0 is both: for the empty
 * packet at the end it is not used. */
static void owned(uint32_t at) {
    for (uint32_t endpoint = 0; endpoint < 16; endpoint++) {
        for (uint32_t in = 0; in < 2; in++) {
            const uint32_t buffer = word(buffer_of(in, endpoint)), start = data_of(in, endpoint);
            if ((buffer & AVAILABLE) != 0 && at >= start && at < start + (buffer & LENGTH)) {
                refuse("a buffer that is the controller's", at);
            }
        }
    }
}

uint8_t memory_read8(uint32_t at) {
    reachable(at);
    CHECK(at < BYTES);
    if (at >= DATA) {
        owned(at);
    }
    return memory[at];
}

void memory_write8(uint32_t at, uint8_t value) {
    reachable(at);
    CHECK(at >= DATA && at < BYTES);
    owned(at);
    memory[at] = value;
}

uint32_t memory_read(uint32_t at) {
    reachable(at);
    CHECK(at < DATA && at % 4 == 0);
    return word(at);
}

static uint32_t looks; /* since the last write */

static void check_buffer(uint32_t at, uint32_t value) {
    const uint32_t endpoint = (at - BUFFERS) / 8;
    const bool in = at % 8 == 0;
    const uint32_t control = control_of(in, endpoint);
    if ((value & ~(FULL | 1u << 14 | DATA1 | STALL | AVAILABLE | LENGTH)) != 0) {
        refuse("a second buffer, or reserved bits", value);
    }
    if ((value & AVAILABLE) == 0) {
        return;
    }
    if ((word(at) | AVAILABLE) != value) {
        refuse("AVAILABLE together with other bits", value);
    }
    if (looks < 3) {
        refuse("AVAILABLE within a cycle of 48 MHz", value);
    }
    if (((value & FULL) != 0) != in || (value & LENGTH) > 64) {
        refuse("a buffer of the other direction, or too long", value);
    }
    if (endpoint != 0 && ((control & ENDPOINT_ON) == 0 || (control & 0x3fu) != 0 || (control & 0xffffu) < 0x180u || (control & EACH) == 0)) {
        refuse("a buffer of an endpoint that is off, or without a place or an interrupt", control);
    }
}

void memory_write(uint32_t at, uint32_t value) {
    reachable(at);
    CHECK(at < DATA && at % 4 == 0);
    if (at >= BUFFERS) {
        check_buffer(at, value);
    } else if (at >= 8) {
        within(value, 0xec00ffc0u);
        const uint32_t endpoint = at / 8;
        if ((u.main & 1u) != 0 && (word(buffer_of(at % 8 == 0, endpoint)) & AVAILABLE) != 0) {
            refuse("a change of an endpoint that has a buffer", at);
        }
    }
    looks = 0;
    set_word(at, value);
}

/* The registers are read in between. */
static void look(void) {
    looks++;
}

/* --- The host. */

void host_resets_bus(void) {
    CHECK(controller_shown());
    memset(&host, 0, sizeof host);
    u.status |= BUS_RESET;
    interrupts();
}

static bool answers(void) {
    return controller_shown() && u.address == host.address;
}

int host_sets_up(const uint8_t *setup) {
    if (!answers()) {
        return NOTHING;
    }
    memcpy(memory, setup, 8);
    u.stall = 0;
    for (uint32_t in = 0; in < 2; in++) { /* 4.1.2.6.1: a request ends a stall of endpoint 0 */
        set_word(buffer_of(in, 0), word(buffer_of(in, 0)) & ~STALL);
        host.toggle[in][0] = DATA1;
    }
    u.status |= SETUP_REC;
    interrupts();
    return 0;
}

/* Whether a buffer is there for a packet. */
static int offered(bool in, uint32_t endpoint) {
    const uint32_t buffer = word(buffer_of(in, endpoint));
    if (!answers() || (endpoint != 0 && (control_of(in, endpoint) & ENDPOINT_ON) == 0)) {
        return NOTHING;
    }
    if ((buffer & STALL) != 0 && (endpoint != 0 || (u.stall & (in ? 1u : 2u)) != 0)) {
        return STALLED;
    }
    return (buffer & AVAILABLE) == 0 ? NAK : 0;
}

static void done(bool in, uint32_t endpoint, uint32_t buffer) {
    set_word(buffer_of(in, endpoint), buffer);
    u.buffers |= 1u << (2 * endpoint + (in ? 0 : 1));
    host.toggle[in][endpoint] ^= DATA1;
    interrupts();
}

int host_gets(uint32_t endpoint, uint8_t *bytes) {
    const int no = offered(true, endpoint);
    const uint32_t buffer = word(buffer_of(true, endpoint));
    if (no != 0) {
        return no;
    }
    if ((buffer & DATA1) != host.toggle[1][endpoint]) {
        refuse("the wrong toggle: the host takes it for the packet before", endpoint);
    }
    memcpy(bytes, memory + data_of(true, endpoint), buffer & LENGTH);
    done(true, endpoint, buffer & ~(AVAILABLE | FULL));
    return (int)(buffer & LENGTH);
}

int host_puts(uint32_t endpoint, const uint8_t *bytes, uint32_t n) {
    const int no = offered(false, endpoint);
    const uint32_t buffer = word(buffer_of(false, endpoint));
    if (no != 0) {
        return no;
    }
    if ((buffer & DATA1) != host.toggle[0][endpoint]) {
        refuse("the wrong toggle: the device would throw the packet away", endpoint);
    }
    if (n > (buffer & LENGTH)) {
        return NOTHING; /* an overflow, which it does not acknowledge */
    }
    for (uint32_t i = 0; i < n; i++) {
        memory[data_of(false, endpoint) + i] = bytes[i];
    }
    done(false, endpoint, (buffer & ~(AVAILABLE | LENGTH)) | FULL | n);
    return (int)n;
}

/* --- What the drivers access. */

#define MEMORY 0x50100000u
#define REGISTERS 0x50110000u

uint32_t cf_mmio_read(uintptr_t address) {
    look();
    if (address - MEMORY < BYTES) {
        return memory_read((uint32_t)(address - MEMORY));
    }
    return address - REGISTERS < 0x1000 ? controller_read((uint32_t)(address - REGISTERS)) : chip_read(address);
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    if (address - MEMORY < BYTES) {
        memory_write((uint32_t)(address - MEMORY), value);
    } else if (address - REGISTERS < 0x1000) {
        controller_write((uint32_t)(address - REGISTERS), value);
    } else {
        chip_write(address, value);
    }
}

uint8_t cf_mmio_read8(uintptr_t address) {
    CHECK(address - MEMORY < BYTES);
    return memory_read8((uint32_t)(address - MEMORY));
}

void cf_mmio_write8(uintptr_t address, uint8_t value) {
    CHECK(address - MEMORY < BYTES);
    memory_write8((uint32_t)(address - MEMORY), value);
}
