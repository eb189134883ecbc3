/* Messages on standard error, and the end of a process for a failure of the system. */
#include "host.h"
#include "sys.h"
#include "text.h"

void cf_host_tell(const char *what, long err) {
    char line[400];

    line[0] = 0;
    cf_text_add(line, sizeof line, "runner: ");
    cf_text_add(line, sizeof line, what);
    if (err < 0) {
        cf_text_add(line, sizeof line, ": errno ");
        cf_text_add_number(line, sizeof line, (uint32_t)-err);
    }
    cf_text_add(line, sizeof line, "\n");
    (void)cf_sys3(__NR_write, CF_HOST_ERRORS, line, cf_text_length(line));
}

_Noreturn void cf_host_die(const char *what, long err) {
    cf_host_tell(what, err);
    for (;;) {
        (void)cf_sys1(__NR_exit_group, 1);
    }
}
