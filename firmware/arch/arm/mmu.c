/*
 * Address space of a runner: identity, by sections of 1 MiB and pages of 4 KiB, and only what is used is mapped.
 * Everything else, address 0 included, faults.
 *
 *   what                runner (Supervisor)   program (User)
 *   runner's text       read, execute         -
 *   return gate         read, execute         read, execute
 *   constants, tables   read                  -
 *   variables, stack    read, write           -
 *   devices             read, write           -
 *   code memory         read, execute         read, execute
 *   its alias           read, write           -
 *   data memory, stack  read, write           read, write
 *
 * The code alias lies at CF_CODE_ALIAS, above all RAM and devices, so that no address is ever both writable and
 * executable. What programs may execute the runner might, too: not all of these cores can tell the two apart.
 */
#include "arch/arm/arm.h"
#include "arch/arm/sysreg.h"
#include "platform/board.h"
#include "platform/chip.h"

#define PAGE 0x1000u
#define SECTION 0x100000u

/* AP[2:0] of a descriptor, APX first. */
enum access {
    RUNNER_WRITES = 1,
    BOTH_WRITE = 3,
    RUNNER_READS = 5,
    BOTH_READ = 6, /* the form that ARMv6 has, too */
};

struct rights {
    enum access access;
    bool execute;
    bool device; /* else normal memory, write-back, write-allocate, not shared */
};

static const struct rights device = {RUNNER_WRITES, false, true};
static const struct rights runner_text = {RUNNER_READS, true, false};
static const struct rights runner_const = {RUNNER_READS, false, false};
static const struct rights runner_data = {RUNNER_WRITES, false, false};
static const struct rights program_text = {BOTH_READ, true, false};
static const struct rights program_data = {BOTH_WRITE, false, false};

/* Set by link.ld, the gate by vectors.S. */
extern uint8_t cf_image_start[], cf_arm_gate[], cf_arm_gate_end[], cf_rodata_end[], cf_bss_start[], cf_variables_end[],
    cf_tables_start[], cf_tables_end[], cf_runner_stack_start[], cf_runner_stack_top[], cf_fault_stack_start[],
    cf_fault_stack_top[], cf_program_stack_start[], cf_program_stack_top[], cf_image_end[];

#define SECTIONS 4096u
#define PAGES 256u

/* A level 2 table per MiB that is mapped by pages: two of the image and up to six of small device windows. */
#define TABLES 8u

struct tables {
    uint32_t sections[SECTIONS];
    uint32_t pages[TABLES][PAGES];
    uint32_t used;
};

__attribute__((section(".tables"), aligned(0x4000))) static struct tables tables;

static _Noreturn void halt(void) {
    for (;;) {
        cf_arch_sleep();
    }
}

static uint32_t section_descriptor(struct rights r) {
    const uint32_t ap = (uint32_t)r.access;
    const uint32_t memory = r.device ? 0x4u : 0x100cu; /* B; TEX 1, C, B */
    return 2u | memory | (r.execute ? 0 : 0x10u) | (ap & 3u) << 10 | ap >> 2 << 15;
}

static uint32_t page_descriptor(struct rights r) {
    const uint32_t ap = (uint32_t)r.access;
    const uint32_t memory = r.device ? 0x4u : 0x4cu;
    return 2u | memory | (r.execute ? 0 : 1u) | (ap & 3u) << 4 | ap >> 2 << 9;
}

/* The table of pages for a MiB, made if there is none. */
static uint32_t *descend(uint32_t index) {
    if (tables.sections[index] == 0) {
        if (tables.used == TABLES) {
            halt(); /* a board that needs more fails at its first boot, not in the field */
        }
        uint32_t *table = tables.pages[tables.used++];
        for (uint32_t i = 0; i < PAGES; i++) {
            table[i] = 0;
        }
        tables.sections[index] = (uint32_t)(uintptr_t)table | 1u;
    }
    return (uint32_t *)(uintptr_t)(tables.sections[index] & ~0x3ffu);
}

static void map(uintptr_t virtual, uintptr_t physical, uintptr_t size, struct rights rights) {
    while (size != 0) {
        const uint32_t index = virtual / SECTION;
        uintptr_t step = SECTION;
        if ((virtual | physical) % SECTION == 0 && size >= SECTION) {
            tables.sections[index] = physical | section_descriptor(rights);
        } else {
            descend(index)[virtual / PAGE % PAGES] = physical | page_descriptor(rights);
            step = PAGE;
        }
        virtual += step;
        physical += step;
        size -= step;
    }
}

static void map_identity(const uint8_t *start, const uint8_t *end, struct rights rights) {
    map((uintptr_t)start, (uintptr_t)start, (uintptr_t)(end - start), rights);
}

static void map_all(void) {
    for (uint32_t i = 0; i < SECTIONS; i++) {
        tables.sections[i] = 0;
    }
    tables.used = 0;
    map_identity(cf_image_start, cf_arm_gate, runner_text);
    map_identity(cf_arm_gate, cf_arm_gate_end, program_text);
    map_identity(cf_arm_gate_end, cf_rodata_end, runner_const);
    map_identity(cf_bss_start, cf_variables_end, runner_data);
    map_identity(cf_tables_start, cf_tables_end, runner_const);
    map_identity(cf_runner_stack_start, cf_runner_stack_top, runner_data);
    map_identity(cf_fault_stack_start, cf_fault_stack_top, runner_data);
    map_identity(cf_program_stack_start, cf_program_stack_top, program_data);

    for (uint32_t i = 0; i < cf_chip.window_count; i++) {
        const struct cf_chip_window *w = &cf_chip.windows[i];
        map(w->start, w->start, w->size, device);
    }
    const struct cf_platform *p = &cf_board.platform;
    const uintptr_t samples = (uintptr_t)p->samples;
    map(samples, samples, p->capacity[CF_CAPACITY_SAMPLES] * sizeof p->samples[0], runner_data);
    map((uintptr_t)p->live, (uintptr_t)p->live, p->capacity[CF_CAPACITY_LIVE], runner_data);
    map((uintptr_t)p->data, (uintptr_t)p->data, p->capacity[CF_CAPACITY_DATA], program_data);
    map(p->code_exec, p->code_exec, p->capacity[CF_CAPACITY_CODE], program_text);
    map((uintptr_t)p->code_write, p->code_exec, p->capacity[CF_CAPACITY_CODE], runner_data);
}

/* What was written with the caches off must not be hidden by stale lines once they are on. 16 bytes is the shortest
 * line there can be. */
static void drop_cached(const uint8_t *start, const uint8_t *end) {
    for (uintptr_t line = (uintptr_t)start; line < (uintptr_t)end; line += 16u) {
        __asm__ volatile("mcr p15, 0, %0, c7, c6, 1" : : "r"(line) : "memory");
    }
    cf_arm_dsb();
}

/* Programs get no counters. */
static void close_counters(void) {
#if __ARM_ARCH >= 7
    uint32_t pfr1;
    __asm__ volatile("mrc p15, 0, %0, c0, c1, 1" : "=r"(pfr1));
    if ((pfr1 >> 16 & 15u) != 0) {
        __asm__ volatile("mcr p15, 0, %0, c14, c1, 0" : : "r"(0)); /* CNTKCTL, where there is a generic timer */
    }
    __asm__ volatile("mcr p15, 0, %0, c9, c14, 0" : : "r"(0)); /* PMUSERENR */
#else
    __asm__ volatile("mcr p15, 0, %0, c15, c9, 0" : : "r"(0)); /* access validation control */
#endif
}

#if __ARM_ARCH >= 7
#define WALKS 0x48u /* page tables are read through the caches: write-back, write-allocate */
#else
#define WALKS 0u /* the walks of an ARM1176 do not look into its data cache */
#endif

void cf_arm_mmu_init(void) {
    map_all();
    drop_cached(cf_bss_start, cf_image_end);
    close_counters();
    uint32_t sctlr;
    __asm__ volatile("mrc p15, 0, %0, c1, c0, 0" : "=r"(sctlr));
    __asm__ volatile("mcr p15, 0, %0, c2, c0, 0\n\t" /* TTBR0 */
                     "mcr p15, 0, %1, c2, c0, 2\n\t" /* TTBCR: TTBR0 for everything, short descriptors */
                     "mcr p15, 0, %1, c13, c0, 1\n\t" /* CONTEXTIDR */
                     "mcr p15, 0, %2, c3, c0, 0\n\t" /* DACR: domain 0 checks rights */
                     :
                     : "r"((uint32_t)(uintptr_t)tables.sections | WALKS), "r"(0), "r"(1)
                     : "memory");
    cf_arm_isb();
    __asm__ volatile("mcr p15, 0, %0, c8, c7, 0" : : "r"(0) : "memory"); /* TLBIALL */
    cf_arm_dsb();
    cf_arm_isb();
    __asm__ volatile("mcr p15, 0, %0, c1, c0, 0" : : "r"(sctlr | SCTLR_RUN) : "memory");
    cf_arm_isb();
}
