/* The driver of one kind of flash memory, on a model of its registers: a page is erased, units are written, and one that never ends. */
#include <string.h>

#include "test/flash/models.h"

uint8_t memory[2 * PAGE_LENGTH];
int stuck;

static uint32_t turns;

void refuse(const char *what, uint32_t value) {
    fprintf(stderr, "the manual forbids: %s (%#x)\n", what, (unsigned)value);
    exit(1);
}

uint32_t cf_mmio_read(uintptr_t address) {
    turns++;
    return model_read((uint32_t)address);
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    model_write((uint32_t)address, value);
}

void program(uint32_t address, uint32_t value) {
    if (address % 4 != 0 || address - BASE > sizeof memory - 4) {
        refuse("a word that is not in the memory", address);
    }
    uint32_t old;
    memcpy(&old, memory + (address - BASE), 4);
    old &= value;
    memcpy(memory + (address - BASE), &old, 4);
}

void wipe(uint32_t address) {
    if ((address - BASE) % PAGE_LENGTH != 0 || address - BASE >= sizeof memory) {
        refuse("a page that is none", address);
    }
    memset(memory + (address - BASE), 0xff, PAGE_LENGTH);
}

static void check(int good, const char *what) {
    if (!good) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

int main(void) {
    uint8_t bytes[65], want[2 * PAGE_LENGTH];

    for (uint32_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 37u + 1u);
    }
    memset(memory, 0x5a, sizeof memory);
    memcpy(want, memory, sizeof want);
    for (uint32_t page = 2; page-- > 0;) {
        DRIVER.erase(BASE + page * PAGE_LENGTH);
        memset(want + page * PAGE_LENGTH, 0xff, PAGE_LENGTH);
        check(memcmp(memory, want, sizeof want) == 0 && model_rests(), "one page is erased, and the memory can be read");
        DRIVER.write(BASE + page * PAGE_LENGTH + 32, bytes + 1, 64); /* not aligned */
        memcpy(want + page * PAGE_LENGTH + 32, bytes + 1, 64);
        check(memcmp(memory, want, sizeof want) == 0 && model_rests(), "bytes are written, and the memory can be read");
    }
    stuck = 1;
    turns = 0;
    DRIVER.erase(BASE);
    check(turns > 1000, "waits last");
    return 0;
}
