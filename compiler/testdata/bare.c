/* Runs compiled programs for the tests, as harness.c does and by its protocol, on
 * architectures for which there is a bare compiler without a C library. */
#include "../../stencils/selftest/harness/linux.h"

typedef void (*entry_fn)(void *data);

enum { PAGE = 65536, READ_WRITE = LINUX_READABLE | LINUX_WRITABLE };

static size_t pages(size_t n) { return (n + PAGE - 1) / PAGE * PAGE; }

/* Memory of n bytes that ends, but for alignment to 64, at a page that faults. */
static uint8_t *guarded(size_t n) {
    uint8_t *p = linux_map(pages(n) + 2 * PAGE, 0);
    linux_protect(p + PAGE, pages(n), READ_WRITE);
    return p + PAGE + (pages(n) - (n + 63) / 64 * 64);
}

static void release(uint8_t *p, size_t n) {
    linux_unmap(p - (pages(n) - (n + 63) / 64 * 64) - PAGE, pages(n) + 2 * PAGE);
}

/* The end of the input before a request is the end of the program. */
_Noreturn void serve(void) {
    uint32_t h[7];
    while (linux_read(h, sizeof h)) {
        uint8_t *code = linux_map(pages(h[0]), READ_WRITE);
        uint32_t size = h[2] + h[3];
        uint8_t *data = guarded(size);
        linux_read(code, h[0]);
        if (h[2] > 0) linux_read(data, h[2]);
        linux_protect(code, pages(h[0]), LINUX_READABLE | LINUX_EXECUTABLE);
        linux_sync_code(code, h[0]);
        entry_fn run = (entry_fn)((uintptr_t)(code + h[1]) | LINUX_CODE_BIT);
        for (uint32_t i = 0; i < h[4]; i++) run(data);
        linux_write(1, data, size);
        linux_unmap(code, pages(h[0]));
        release(data, size);
    }
    linux_exit(0);
}
