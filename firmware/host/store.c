/*
 * Stored programs of a Linux runner: a file with both slots, which it has to itself. What is in it that counts is read at the start;
 * from then on memory has the same, so that nobody else who writes to the file can change what has been checked.
 */
#include <linux/fcntl.h>

#include "core/mem.h"
#include "core/store.h"
#include "host.h"
#include "sys.h"

#define SLOT (16u << 20)
#define PAGE (64u << 10)
#define UNIT 4u
#define ERASE_MS 1000u /* of a disk that is slow, or busy */

#define MODE 0600 /* others have no business there */

static uint8_t *slots;
static struct cf_store_memory memory = {.length = SLOT, .page = PAGE, .unit = UNIT, .erase_ms = ERASE_MS, .first = sizeof(struct cf_stored)};

static int seek(uint32_t offset) {
    return cf_sys3(__NR_lseek, CF_HOST_STORE, offset, 0) == (long)offset;
}

/* Reads as much as there is. */
static uint32_t take(uint32_t offset, uint32_t n) {
    uint32_t done = 0;

    if (!seek(offset)) {
        cf_host_die("-store wants a file", 0);
    }
    while (done < n) {
        const long r = cf_sys3(__NR_read, CF_HOST_STORE, slots + offset + done, n - done);
        if (r < 0) {
            cf_host_die("cannot read the file of -store", r);
        }
        if (r == 0) {
            break;
        }
        done += (uint32_t)r;
    }
    return done;
}

/* Both slots, as far as their headers say that there is something. */
static void load(void) {
    for (uint32_t at = 0; at < 2 * SLOT; at += SLOT) {
        struct cf_stored head;
        if (take(at, sizeof head) == sizeof head) {
            memcpy(&head, slots + at, sizeof head);
            (void)take(at + memory.first, head.length < SLOT - memory.first ? head.length : 0);
        }
    }
}

const struct cf_store_memory *cf_host_store_init(const char *path) {
    long fd = cf_sys4(__NR_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, MODE);

    if (fd < 0) {
        cf_host_die("cannot open the file of -store", fd);
    }
    if (fd != CF_HOST_STORE) {
        const long r = cf_sys3(__NR_dup3, fd, CF_HOST_STORE, O_CLOEXEC);
        if (r < 0) {
            cf_host_die("cannot keep the file of -store", r);
        }
        (void)cf_sys1(__NR_close, fd);
    }
    if (cf_sys2(__NR_flock, CF_HOST_STORE, LOCK_EX | LOCK_NB) != 0) {
        cf_host_die("another runner has the file of -store", 0);
    }
    memory.slots = slots = cf_host_private(2 * SLOT);
    load();
    return &memory;
}

/* What the core finds is what is safely in the file. */
static int put(uint32_t offset, const uint8_t *bytes, uint32_t n) {
    if (!seek(offset)) {
        return 0;
    }
    while (n > 0) {
        const long r = cf_sys3(__NR_write, CF_HOST_STORE, bytes, n);
        if (r <= 0) {
            return 0;
        }
        bytes += r;
        n -= (uint32_t)r;
    }
    return cf_sys1(__NR_fdatasync, CF_HOST_STORE) == 0;
}

void cf_hal_store_erase(uint32_t offset) {
    memset(slots + offset, 0xff, PAGE);
    if (!put(offset, slots + offset, PAGE)) {
        memset(slots + offset, 0, PAGE);
    }
}

void cf_hal_store_write(uint32_t offset, const uint8_t *bytes, uint32_t n) {
    if (put(offset, bytes, n)) {
        memcpy(slots + offset, bytes, n);
    }
}

int cf_hal_store_held(void) {
    return 0; /* who starts it leaves -store out */
}
