/* Memory of the host runner: what it shares with the process of a program, and what it keeps. */
#include <linux/memfd.h>
#include <linux/mman.h>

#include "core/loop.h"
#include "host.h"
#include "sys.h"

struct cf_host_world cf_host;

/* Reserved, and there once it is used; where all of it is to be there from the start on, it is less. */
#define CODE_SIZE (64u << 20)
#define DATA_SIZE (256u << 20)
#define LIVE_SIZE (16u << 20)
#define LOCKED_CODE_SIZE (4u << 20)
#define LOCKED_DATA_SIZE (16u << 20)
#define LOCKED_LIVE_SIZE (4u << 20)

_Static_assert(sizeof(struct cf_host_shared) <= CF_HOST_LOOP_AT && CF_HOST_LOOP_AT + sizeof(struct cf_loop) <= CF_HOST_PAGE, "one page");

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

/* Read and write, shared with children or not, with nothing mapped for so many bytes on each side. */
static uintptr_t map_between_guards(uintptr_t below, uintptr_t length, uintptr_t above, int sharing) {
    const int flags = MAP_ANONYMOUS | MAP_NORESERVE;
    uintptr_t base = map(0, below + length + above, PROT_NONE, flags | MAP_PRIVATE, -1);

    return map(base + below, length, PROT_READ | PROT_WRITE, flags | sharing | MAP_FIXED, -1);
}

void cf_host_map(struct cf_platform *p) {
    const uint32_t data_size = cf_host.lock ? LOCKED_DATA_SIZE : DATA_SIZE;
    long fd = cf_sys2(__NR_memfd_create, "code", MFD_CLOEXEC);
    int flags = MAP_SHARED;

    cf_host.code_size = cf_host.lock ? LOCKED_CODE_SIZE : CODE_SIZE;
    cf_host.live_size = cf_host.lock ? LOCKED_LIVE_SIZE : LIVE_SIZE;

    if (fd < 0) { /* some containers; as good, but without a name */
        flags |= MAP_ANONYMOUS;
    } else {
        long r = cf_sys2(__NR_ftruncate, fd, cf_host.code_size);
        if (r < 0) {
            cf_host_die("cannot size code memory", r);
        }
    }
    /* Here it can be written; a child makes the same addresses executable for itself instead. */
    p->code_write = cf_host.code = (uint8_t *)map(0, cf_host.code_size, PROT_READ | PROT_WRITE, flags, (int)fd);
    p->code_exec = (uintptr_t)p->code_write;
    p->capacity[CF_CAPACITY_CODE] = cf_host.code_size;
    if (fd >= 0) {
        (void)cf_sys1(__NR_close, fd);
    }

    p->data = cf_host.data = (uint8_t *)map_between_guards(DATA_GUARD, data_size, DATA_GUARD, MAP_SHARED);
    p->capacity[CF_CAPACITY_DATA] = data_size;
    p->live = cf_host.live = (uint8_t *)map_between_guards(CF_HOST_PAGE, cf_host.live_size, CF_HOST_PAGE, MAP_SHARED);
    p->capacity[CF_CAPACITY_LIVE] = cf_host.live_size;

    uintptr_t stack = map_between_guards(CF_HOST_STACK_GUARD, CF_HOST_STACK_SIZE, CF_HOST_STACK_GUARD, MAP_PRIVATE);
    cf_host.stack_top = stack + CF_HOST_STACK_SIZE;

    cf_host.shared = (struct cf_host_shared *)map(0, CF_HOST_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
    p->loop = cf_host.loop = (struct cf_loop *)((uintptr_t)cf_host.shared + CF_HOST_LOOP_AT);
}

void *cf_host_common(void) {
    return (void *)map(0, CF_HOST_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
}

void *cf_host_private(uintptr_t length) {
    uintptr_t at = map(0, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    long r = cf_sys3(__NR_madvise, at, length, MADV_DONTFORK);

    if (r != 0 && !cf_host.emulated) { /* emulators may not know it */
        cf_host_die("cannot keep memory from children", r);
    }
    return (void *)at;
}
