/*
 * The core on the bench, driven over standard input and output: each command is an op, a length (u32) and bytes.
 *
 *   S  starts it, and tells the address of data memory (u64)
 *   F  feeds it the bytes and lets a RUN come to its end
 *   P  lets the main loop turn until there is nothing more to do
 *   T  is the next tick, so many counts late, in which a call of a task takes so many (u32 each)
 *   L  ends what has the ticks, by a fault of this kind (u32) that no tick tells of
 *   M  gives back data memory, live memory and the registers
 *
 * F and P give back what the core has sent, its length (u32) first.
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "wire.h"

static int take(void *to, size_t n) {
    return fread(to, 1, n, stdin) == n;
}

static void give(const void *from, size_t n) {
    CHECK(fwrite(from, 1, n, stdout) == n);
}

/* The programs as ticks call them: they count in data word 4 and have a value in word 5. */
static uint32_t task(uint32_t offset, uint8_t *data) {
    static const uint32_t floats[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7fc00000, 0x7f800000, 0xff800000, 1};
    const uint32_t program = bench.platform.code_write[offset];

    if (program >= PROGRAM_FAULT && program <= CF_FAULT_OTHER) {
        return program;
    }
    if (!bench_has_words(data, 6)) {
        return 0;
    }
    const uint32_t n = load32(data + 16) + 1;
    if (program == PROGRAM_TURNS && n == 3) {
        return CF_FAULT_MEMORY;
    }
    if (program == PROGRAM_STICKY) {
        cf_store32(data, load32(data) | 1u << n % 5);
    }
    cf_store32(data + 16, n);
    cf_store32(data + 20, program == PROGRAM_SLOW ? floats[n % 8] : n * 5 % 16 - 8);
    return program == PROGRAM_LATER && n % 8 == 0 ? CF_FAULT_ILLEGAL : 0;
}

static void give_sent(void) {
    give(&bench.tx_length, sizeof bench.tx_length);
    give(bench.tx, bench.tx_length);
    bench.tx_length = 0;
}

static void carry_out(uint8_t op, const uint8_t *bytes, uint32_t length) {
    const struct cf_platform *p = &bench.platform;
    const uint64_t address = (uintptr_t)p->data;
    uint32_t before;

    switch (op) {
    case 'S':
        bench_start(PACKET);
        bench.task = task;
        give(&address, sizeof address);
        break;
    case 'F':
        cf_core_feed(&bench.core, bytes, length);
        while (bench.core.state == CF_STATE_RUNNING) {
            CHECK_EQUAL(cf_core_poll(&bench.core), 0);
        }
        give_sent();
        break;
    case 'P':
        do {
            before = bench.tx_length;
            CHECK_EQUAL(cf_core_poll(&bench.core), 0);
        } while (bench.tx_length != before);
        give_sent();
        break;
    case 'T':
        CHECK_EQUAL(length, 8);
        bench.cost = load32(bytes + 4);
        bench_tick(load32(bytes));
        break;
    case 'L':
        CHECK_EQUAL(length, 4);
        bench.lost = (struct cf_fault){load32(bytes), 77, 0, 0x1234};
        break;
    case 'M':
        give(p->data, DATA_SIZE);
        give(p->live, LIVE_SIZE);
        give(bench.registers, sizeof bench.registers);
        break;
    default:
        CHECK(!"an op");
    }
}

int main(void) {
    for (;;) {
        uint8_t op;
        uint32_t length;
        if (!take(&op, 1)) {
            return 0;
        }
        CHECK(take(&length, sizeof length));
        uint8_t *bytes = malloc(length + (length == 0)); /* exactly, for the sanitizer */
        CHECK(take(bytes, length));
        carry_out(op, bytes, length);
        CHECK(fflush(stdout) == 0);
        free(bytes);
    }
}
