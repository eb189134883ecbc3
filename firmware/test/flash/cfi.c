/* Two chips with the command set 0001 side by side: JEDEC JEP137, and the data sheet of the 28F640J3. */
#include <string.h>

#include "test/flash/models.h"

static uint32_t status = 0x00800080u, busy;
static enum { ARRAY, STATUS, ERASE, WRITE } mode;

uint32_t model_read(uint32_t address) {
    if (mode == ARRAY) {
        uint32_t value;
        memcpy(&value, memory + (address - BASE), 4);
        return value;
    }
    busy -= busy != 0 && !stuck;
    return busy != 0 ? 0 : status;
}

void model_write(uint32_t address, uint32_t value) {
    if (busy != 0 && !stuck) {
        refuse("a command while it is busy", value);
    }
    if (mode == WRITE) {
        program(address, value);
        mode = STATUS;
        busy = 3;
        return;
    }
    if (value >> 16 != (value & 0xffffu)) {
        refuse("not the same command for both", value);
    }
    if (mode == ERASE) {
        if ((value & 0xffu) != 0xd0) {
            refuse("no confirmation", value);
        }
        wipe(address);
        mode = STATUS;
        busy = 3;
        return;
    }
    switch (value & 0xffffu) {
    case 0x50:
        status = 0x00800080u;
        return;
    case 0x20:
        mode = ERASE;
        return;
    case 0x40:
        mode = WRITE;
        return;
    case 0xff:
        mode = ARRAY;
        return;
    }
    refuse("no command", value);
}

int model_rests(void) {
    return mode == ARRAY;
}
