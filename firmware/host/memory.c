/* Memory of the host runner: code in two views, data and the program stack between guards. */
#include <linux/memfd.h>
#include <linux/mman.h>

#include "host.h"
#include "sys.h"

#define CODE_SIZE (64ul << 20)
#define DATA_SIZE (256ul << 20)

/* On both sides of data memory nothing is mapped as far as a 32-bit offset reaches, so that a wrong one faults. There is no room for
 * that in an address space of 32 bits. */
#if UINTPTR_MAX > UINT32_MAX
#define DATA_GUARD (2ul << 30)
#else
#define DATA_GUARD (256ul << 20)
#endif

static uintptr_t map(uintptr_t at, uintptr_t length, int prot, int flags, int fd) {
    long r = cf_sys6(CF_NR_MMAP, (long)at, (long)length, prot, flags, fd, 0);

    if (r < 0 && r > -4096) {
        cf_host_die("cannot map memory", r);
    }
    return (uintptr_t)r;
}

static uintptr_t map_between_guards(uintptr_t below, uintptr_t length, uintptr_t above) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uintptr_t base = map(0, below + length + above, PROT_NONE, flags, -1);

    return map(base + below, length, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1);
}

void cf_host_map(struct cf_platform *p, uintptr_t *stack_top) {
    long fd = cf_sys2(__NR_memfd_create, "code", MFD_CLOEXEC);

    if (fd < 0) {
        cf_host_die("cannot create code memory", fd);
    }
    long r = cf_sys2(__NR_ftruncate, fd, CODE_SIZE);
    if (r < 0) {
        cf_host_die("cannot size code memory", r);
    }
    p->code_write = (uint8_t *)map(0, CODE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd);
    p->code_exec = map(0, CODE_SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, (int)fd);
    p->capacity[CF_CAPACITY_CODE] = CODE_SIZE;
    (void)cf_sys1(__NR_close, fd);

    p->data = (uint8_t *)map_between_guards(DATA_GUARD, DATA_SIZE, DATA_GUARD);
    p->capacity[CF_CAPACITY_DATA] = DATA_SIZE;

    *stack_top = map_between_guards(CF_HOST_STACK_GUARD, CF_HOST_STACK_SIZE, CF_HOST_STACK_GUARD) + CF_HOST_STACK_SIZE;
}
