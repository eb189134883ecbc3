/*
 * Address space of a runner: 4 GiB, identity, and only what is used is mapped. Everything else, address 0 included,
 * faults.
 *
 *   what                runner (EL1)     program (EL0)
 *   runner's text       read, execute    -
 *   return gate         read             read, execute
 *   constants, tables   read             -
 *   variables, stack    read, write      -
 *   devices             read, write      -
 *   code memory         read             read, execute
 *   its alias           read, write      -
 *   data memory, stack  read, write      read, write
 *
 * The code alias lies at CF_CODE_ALIAS, above all RAM and devices, so that no address is ever both writable and executable.
 */
#include "arch/aarch64/aarch64.h"
#include "arch/aarch64/sysreg.h"
#include "platform/board.h"
#include "platform/chip.h"

#define PAGE 0x1000u
#define BLOCK 0x200000u
#define ENTRIES 512u

/* Bits of a stage 1 descriptor. */
#define VALID_TABLE 3u
#define VALID_BLOCK 1u
#define VALID_PAGE 3u
#define ATTRIBUTE(n) ((uint64_t)(n) << 2)
#define EL0_ACCESS (1u << 6)
#define READ_ONLY (1u << 7)
#define INNER_SHAREABLE (3u << 8)
#define ACCESSED (1u << 10)
#define PXN (1ull << 53) /* not executable at EL1 */
#define UXN (1ull << 54) /* not executable at EL0 */

#define NORMAL (ATTRIBUTE(1) | INNER_SHAREABLE | ACCESSED)
#define DEVICE (ATTRIBUTE(0) | ACCESSED | PXN | UXN)
#define RUNNER_TEXT (NORMAL | READ_ONLY | UXN)
#define RUNNER_CONST (NORMAL | READ_ONLY | PXN | UXN)
#define RUNNER_DATA (NORMAL | PXN | UXN)
#define PROGRAM_TEXT (NORMAL | READ_ONLY | EL0_ACCESS | PXN)
#define PROGRAM_DATA (NORMAL | EL0_ACCESS | PXN | UXN)

/* Set by link.ld, the gate by vectors.S. */
extern uint8_t cf_image_start[], cf_a64_gate[], cf_a64_gate_end[], cf_rodata_end[], cf_bss_start[],
    cf_variables_end[], cf_tables_start[], cf_tables_end[], cf_runner_stack_start[], cf_runner_stack_top[],
    cf_fault_stack_start[], cf_fault_stack_top[], cf_program_stack_start[], cf_program_stack_top[], cf_image_end[];

/* One level 1 table, a level 2 table per GiB in use (at most RAM, devices, alias) and a level 3 table per 2 MiB that are
 * mapped by pages (at most the image and two device windows). */
#define TABLES 7u

struct tables {
    uint64_t entries[TABLES][ENTRIES]; /* the first one is level 1 */
    uint32_t used;
};

__attribute__((section(".tables"), aligned(PAGE))) static struct tables tables;

static _Noreturn void halt(void) {
    for (;;) {
        __asm__ volatile("wfi");
    }
}

static uint64_t *new_table(struct tables *t) {
    if (t->used == TABLES) {
        halt(); /* a board that needs more fails at its first boot, not in the field */
    }
    uint64_t *table = t->entries[t->used++];
    for (uint32_t i = 0; i < ENTRIES; i++) {
        table[i] = 0;
    }
    return table;
}

/* The table that entry `index` of `table` points to, made if there is none. */
static uint64_t *descend(struct tables *t, uint64_t *table, uint32_t index) {
    if (table[index] == 0) {
        table[index] = (uintptr_t)new_table(t) | VALID_TABLE;
    }
    return (uint64_t *)(uintptr_t)(table[index] & ~(uint64_t)(PAGE - 1u));
}

static void map(struct tables *t, uintptr_t virtual, uintptr_t physical, uintptr_t size, uint64_t attributes) {
    while (size != 0) {
        uint64_t *level2 = descend(t, t->entries[0], (uint32_t)(virtual >> 30));
        const uint32_t index2 = (virtual >> 21) % ENTRIES;
        uintptr_t step = BLOCK;
        if ((virtual | physical) % BLOCK == 0 && size >= BLOCK) {
            level2[index2] = physical | attributes | VALID_BLOCK;
        } else {
            uint64_t *level3 = descend(t, level2, index2);
            level3[(virtual >> 12) % ENTRIES] = physical | attributes | VALID_PAGE;
            step = PAGE;
        }
        virtual += step;
        physical += step;
        size -= step;
    }
}

static void map_identity(struct tables *t, const uint8_t *start, const uint8_t *end, uint64_t attributes) {
    map(t, (uintptr_t)start, (uintptr_t)start, (uintptr_t)(end - start), attributes);
}

static void map_all(struct tables *t) {
    map_identity(t, cf_image_start, cf_a64_gate, RUNNER_TEXT);
    map_identity(t, cf_a64_gate, cf_a64_gate_end, PROGRAM_TEXT);
    map_identity(t, cf_a64_gate_end, cf_rodata_end, RUNNER_CONST);
    map_identity(t, cf_bss_start, cf_variables_end, RUNNER_DATA);
    map_identity(t, cf_tables_start, cf_tables_end, RUNNER_CONST);
    map_identity(t, cf_runner_stack_start, cf_runner_stack_top, RUNNER_DATA);
    map_identity(t, cf_fault_stack_start, cf_fault_stack_top, RUNNER_DATA);
    map_identity(t, cf_program_stack_start, cf_program_stack_top, PROGRAM_DATA);

    for (uint32_t i = 0; i < cf_chip.window_count; i++) {
        const struct cf_chip_window *w = &cf_chip.windows[i];
        map(t, w->start, w->start, w->size, DEVICE);
    }
    const struct cf_platform *p = &cf_board.platform;
    const uintptr_t samples = (uintptr_t)p->samples;
    map(t, samples, samples, p->capacity[CF_CAPACITY_SAMPLES] * sizeof p->samples[0], RUNNER_DATA);
    map(t, (uintptr_t)p->live, (uintptr_t)p->live, p->capacity[CF_CAPACITY_LIVE], RUNNER_DATA);
    map(t, (uintptr_t)p->data, (uintptr_t)p->data, p->capacity[CF_CAPACITY_DATA], PROGRAM_DATA);
    map(t, p->code_exec, p->code_exec, p->capacity[CF_CAPACITY_CODE], PROGRAM_TEXT);
    map(t, (uintptr_t)p->code_write, p->code_exec, p->capacity[CF_CAPACITY_CODE], RUNNER_DATA);
}

/* What was written with the caches off must not be hidden by stale lines once they are on. 16 bytes is the shortest
 * line there can be. */
static void drop_cached(const uint8_t *start, const uint8_t *end) {
    for (uintptr_t line = (uintptr_t)start; line < (uintptr_t)end; line += 16u) {
        __asm__ volatile("dc ivac, %0" : : "r"(line) : "memory");
    }
    __asm__ volatile("dsb sy" : : : "memory");
}

void cf_a64_mmu_init(void) {
    tables.used = 0;
    new_table(&tables);
    map_all(&tables);
    drop_cached(cf_bss_start, cf_image_end);
    __asm__ volatile("msr mair_el1, %0\n\t"
                     "msr tcr_el1, %1\n\t"
                     "msr ttbr0_el1, %2\n\t"
                     "msr cntkctl_el1, xzr\n\t"   /* programs get no counters, */
                     "msr pmuserenr_el0, xzr\n\t" /* no performance monitors, */
                     "msr mdscr_el1, xzr\n\t"     /* and nothing single-steps them */
                     "isb\n\t"
                     "tlbi vmalle1\n\t"
                     "dsb nsh\n\t"
                     "isb\n\t"
                     "msr sctlr_el1, %3\n\t"
                     "isb"
                     :
                     : "r"((uint64_t)MAIR_EL1_VALUE), "r"((uint64_t)TCR_EL1_VALUE), "r"((uintptr_t)tables.entries[0]),
                       "r"((uint64_t)SCTLR_EL1_RUN)
                     : "memory");
}
