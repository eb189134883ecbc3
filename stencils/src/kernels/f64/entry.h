/* Out-of-line entries: symbol cf64_NAME, ordinary calling convention of the target, one
 * translation unit per kernel (see ../f32/entry.h). */
#ifndef CF_MATH64_ENTRY_H
#define CF_MATH64_ENTRY_H

#define CF64_ENTRY1(name)                                       \
    double cf64_entry_##name(double x) __asm__("cf64_" #name);  \
    double cf64_entry_##name(double x) {                        \
        return cf64_##name(x);                                  \
    }

#define CF64_ENTRY2(name)                                                 \
    double cf64_entry_##name(double a, double b) __asm__("cf64_" #name);  \
    double cf64_entry_##name(double a, double b) {                        \
        return cf64_##name(a, b);                                         \
    }

#endif
