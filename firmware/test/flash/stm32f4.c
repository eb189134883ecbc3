/* RM0090, 3.6 and 3.9: the interface of the STM32F405; the same in RM0390. */
#include "test/flash/models.h"

#define LOCK 0x80000000u

static uint32_t control = LOCK, acr = 0x705, busy, keys;
static int stale; /* the cache has what was there before */

uint32_t model_read(uint32_t address) {
    switch (address - 0x40023c00u) {
    case 0x00:
        return acr;
    case 0x0c:
        busy -= busy != 0 && !stuck;
        return (uint32_t)(busy != 0) << 16;
    case 0x10:
        return control;
    }
    refuse("no register that is read", address);
}

static void set_control(uint32_t value) {
    if ((control & LOCK) != 0) {
        refuse("CR while it is locked", value);
    }
    if ((value & ~0x8101037bu) != 0 || (value & 3u) == 3u) {
        refuse("bits of CR", value);
    }
    if ((value & 0x10000u) != 0) {
        const uint32_t sector = value >> 3 & 15u;
        if ((value & 2u) == 0 || (control & ~0x10000u) != (value & ~0x10000u) || (value >> 8 & 3u) != 2 || sector < 5 || sector > 11) {
            refuse("a start without a sector set before", value);
        }
        wipe(0x08020000u + (sector - 5) * 0x20000u);
        busy = 5;
        stale = 1;
    }
    control = value & ~0x10000u;
}

void model_write(uint32_t address, uint32_t value) {
    if (busy != 0 && !stuck) {
        refuse("a write while it is busy", address);
    }
    switch (address - 0x40023c00u) {
    case 0x00:
        if ((value & 0x1000u) != 0 && ((acr | value) & 0x400u) != 0) {
            refuse("the cache is emptied while it is on", value);
        }
        stale = stale && (value & 0x1000u) == 0;
        acr = value;
        return;
    case 0x04:
        if ((control & LOCK) == 0 || value != (keys == 0 ? 0x45670123u : 0xcdef89abu)) {
            refuse("a key that is not asked for", value);
        }
        keys = !keys;
        control &= keys ? ~0u : ~LOCK;
        return;
    case 0x0c:
        if ((value & ~0xf3u) != 0) {
            refuse("bits of SR", value);
        }
        return;
    case 0x10:
        set_control(value);
        return;
    }
    if ((control & 0x301u) != 0x201u || (control & LOCK) != 0) {
        refuse("a word that is not enabled", address);
    }
    program(address, value);
    busy = 2;
    stale = 1;
}

int model_rests(void) {
    return busy == 0 && (control & LOCK) != 0 && acr == 0x705 && !stale;
}
