/* The list of functions for main.c. */
#include <stddef.h>

typedef void (*call_fn)(float *data);

struct function {
    call_fn call; /* 0: that of a file */
    float *data;
    const char *code, *initial; /* files of machine code and of its data; 0: none */
    size_t entry, bss;
};

extern struct function functions[];
extern const size_t functions_count;
