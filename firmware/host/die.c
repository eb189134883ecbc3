/* The end of a process for a failure of the system. */
#include "host.h"
#include "sys.h"

static uint32_t length_of(const char *s) {
    uint32_t n = 0;

    while (s[n] != 0) {
        n++;
    }
    return n;
}

static void print(const char *s) {
    (void)cf_sys3(__NR_write, CF_HOST_ERRORS, s, length_of(s));
}

_Noreturn void cf_host_die(const char *what, long err) {
    char digits[24];
    uint32_t at = sizeof digits - 1;

    print("runner: ");
    print(what);
    if (err < 0) {
        print(": errno ");
        digits[at] = 0;
        for (long v = -err; v > 0; v /= 10) {
            digits[--at] = (char)('0' + v % 10);
        }
        print(digits + at);
    }
    print("\n");
    for (;;) {
        (void)cf_sys1(__NR_exit_group, 1);
    }
}
