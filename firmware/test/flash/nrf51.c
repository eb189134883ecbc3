/* nRF51 Series Reference Manual 3.0, chapter 6. */
#include "test/flash/models.h"

static uint32_t config, busy;

uint32_t model_read(uint32_t address) {
    if (address != 0x4001e400u) {
        refuse("no register that is read", address);
    }
    busy -= busy != 0 && !stuck;
    return busy == 0;
}

void model_write(uint32_t address, uint32_t value) {
    if (busy != 0 && !stuck) {
        refuse("a write while it is busy", address);
    }
    if (address == 0x4001e504u) {
        if (value > 2) {
            refuse("both at once", value);
        }
        config = value;
        return;
    }
    busy = 3;
    if (address == 0x4001e508u && config == 2) {
        wipe(value);
    } else if (config == 1) {
        program(address, value);
    } else {
        refuse("what is not enabled", address);
    }
}

int model_rests(void) {
    return config == 0 && busy == 0;
}
