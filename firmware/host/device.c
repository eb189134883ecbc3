/* What the kinds of drivers have in common: files below -root, descriptors with places of their own, the table that a host reads. */
#include <linux/fcntl.h>

#include "drivers.h"
#include "host.h"
#include "sys.h"
#include "text.h"

struct cf_host_table cf_host_table;
uint32_t cf_host_epoch;

long cf_host_open(const char *path, int flags) {
    char whole[CF_HOST_PATH + 256u];

    whole[0] = 0;
    cf_text_add(whole, sizeof whole, cf_host.root);
    cf_text_add(whole, sizeof whole, path);
    return cf_sys4(__NR_openat, AT_FDCWD, whole, flags | O_CLOEXEC, 0);
}

long cf_host_keep(struct cf_host_driver *d, uint32_t which, long fd) {
    const int to = d->fd + (int)which;

    if (fd < 0 || fd == to) {
        return fd < 0 ? fd : 0;
    }
    const long r = cf_sys3(__NR_dup3, fd, to, O_CLOEXEC);
    (void)cf_sys1(__NR_close, fd);
    return r < 0 ? r : 0;
}

uint32_t cf_host_file(const char *path, char *text, uint32_t capacity) {
    const long fd = cf_host_open(path, O_RDONLY | O_NONBLOCK);
    long n = fd < 0 ? 0 : cf_sys3(__NR_read, fd, text, capacity - 1u);

    if (fd >= 0) {
        (void)cf_sys1(__NR_close, fd);
    }
    n = n < 0 ? 0 : n;
    text[n] = 0;
    for (uint32_t i = 0; i < (uint32_t)n; i++) {
        if (text[i] == '\n' || text[i] == 0) {
            text[i] = 0;
            return i;
        }
    }
    return (uint32_t)n;
}

/* Whether a string has only what a name, a number or a path of one part may have. */
int cf_host_is_plain(const char *s) {
    for (; *s != 0; s++) {
        if ((*s < '0' || *s > '9') && (*s < 'a' || *s > 'z') && (*s < 'A' || *s > 'Z') && *s != '_' && *s != '-' && *s != '.' && *s != '+') {
            return 0;
        }
    }
    return 1;
}

void cf_host_tell_property(const char *name, const char *value) {
    if (*value == 0 || !cf_host_is_plain(value)) {
        return;
    }
    cf_text_add(cf_host_table.text, sizeof cf_host_table.text, " ");
    cf_text_add(cf_host_table.text, sizeof cf_host_table.text, name);
    cf_text_add(cf_host_table.text, sizeof cf_host_table.text, "=");
    cf_text_add(cf_host_table.text, sizeof cf_host_table.text, value);
}

void cf_host_path(char *path, uint32_t capacity, const char *a, uint32_t number, const char *b, const char *c) {
    path[0] = 0;
    cf_text_add(path, capacity, a);
    cf_text_add_number(path, capacity, number);
    cf_text_add(path, capacity, b);
    cf_text_add(path, capacity, c);
}

/* Whether this is the first access of a list: an input is sampled once, and all variables get of one moment what is in it. */
int cf_host_is_first(const struct cf_host_driver *d) {
    return d->epoch != cf_host_epoch;
}
