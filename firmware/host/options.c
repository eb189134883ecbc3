/* The arguments of the runner. */
#include "host.h"
#include "text.h"

#define USAGE                                                                                                      \
    "usage: runner -listen unix:PATH | tcp:ADDRESS:PORT | serial:DEVICE@BAUD [-remote] [-priority 1..99] [-cpu N] [-lock] [-store FILE]; " \
    "-allow NAME, several times, is what programs may use of the machine; without -listen it speaks over file descriptor 3"

#define MAX_PRIORITY 99u
#define MAX_CPU 1023u

static uint32_t number(const char *value, uint32_t least, uint32_t most) {
    uint32_t n = 0;
    const char *rest = cf_text_number(value, most, &n);

    if (rest == NULL || *rest != 0 || n < least) {
        cf_host_die(USAGE, 0);
    }
    return n;
}

void cf_host_options(const uintptr_t *stack) {
    const char *const *arg = (const char *const *)(stack + 1) + 1;
    int realtime = 0;

    cf_host.cpu = -1;
    cf_host.root = "";
    for (; *arg != NULL; arg++) {
        if (cf_text_equal(*arg, "-emulated")) {
            cf_host.emulated = 1;
        } else if (cf_text_equal(*arg, "-remote")) {
            cf_host.remote = 1;
        } else if (cf_text_equal(*arg, "-lock")) {
            cf_host.lock = realtime = 1;
        } else if (arg[1] == NULL) { /* the others have a value */
            cf_host_die(USAGE, 0);
        } else if (cf_text_equal(*arg, "-listen")) {
            cf_host.listens = *++arg;
        } else if (cf_text_equal(*arg, "-allow")) {
            arg++;
            if (cf_host.allows < CF_HOST_ALLOWS) {
                cf_host.allow[cf_host.allows] = *arg;
            }
            cf_host.allows++;
        } else if (cf_text_equal(*arg, "-root")) {
            cf_host.root = *++arg;
        } else if (cf_text_equal(*arg, "-store")) {
            cf_host.store = *++arg;
        } else if (cf_text_equal(*arg, "-priority")) {
            cf_host.priority = number(*++arg, 1, MAX_PRIORITY);
            realtime = 1;
        } else if (cf_text_equal(*arg, "-cpu")) {
            cf_host.cpu = (int32_t)number(*++arg, 0, MAX_CPU);
            realtime = 1;
        } else {
            cf_host_die(USAGE, 0);
        }
    }
    if (cf_host.listens == NULL && (realtime || cf_host.remote)) {
        cf_host_die(USAGE, 0);
    }
}
