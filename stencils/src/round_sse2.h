/* floor, ceil, trunc, round and sign in two vector registers and eax, for 32-bit x86: its
 * conversions are to 32 bits only, and there is no third general register for masks.
 *
 * Adding and taking away a number with a unit of last place of 1 leaves an integer; from
 * that magnitude on every float is one, and 0 is added. What is off by one for floor, ceil
 * and trunc is set right by a comparison. The sign of a is put back, which a zero needs;
 * every other result has it already. */
#ifndef CF_ROUND_SSE2_H
#define CF_ROUND_SSE2_H

#include "stencil.h"

/* Parts of the text: %0 becomes the result, %1 is the other register, %2 is a; s is the
 * suffix of the type, q that of its shifts. */
#define SSE2_CONSTANT(reg, high, widen) "movl $" high ", %%eax\n\tmovd %%eax, " reg "\n\t" widen
#define SSE2_MAGNITUDE(reg, q) "movaps %2, " reg "\n\tpsll" q " $1, " reg "\n\tpsrl" q " $1, " reg "\n\t"
#define SSE2_SIGN(reg, q, top) "movaps %2, " reg "\n\tpsrl" q " $" top ", " reg "\n\tpsll" q " $" top ", " reg "\n\t"
#define SSE2_SIGNED(q, top) SSE2_SIGN("%1", q, top) "por %1, %0\n\t"

/* %1 = the number to add to the magnitude of a. */
#define SSE2_LARGE(s, q, large, widen) \
    SSE2_CONSTANT("%1", large, widen) SSE2_MAGNITUDE("%0", q) "cmplt" s " %1, %0\n\tpand %0, %1\n\t"
#define SSE2_THERE_AND_BACK(s) "add" s " %1, %0\n\tsub" s " %1, %0\n\t"
#define SSE2_NEAREST(s, q, top, large, widen) \
    SSE2_LARGE(s, q, large, widen) SSE2_SIGN("%0", q, top) "por %0, %1\n\tmovaps %2, %0\n\t" SSE2_THERE_AND_BACK(s)
/* Adds to or takes from %0 the mask in %1 as a number: 0 or -1. */
#define SSE2_STEP(insn, s) "movd %1, %%eax\n\tcvtsi2" s " %%eax, %1\n\t" insn s " %1, %0\n\t"

#define SSE2_ROUND(s, q, top, large, widen) SSE2_NEAREST(s, q, top, large, widen) SSE2_SIGNED(q, top)
#define SSE2_FLOOR(s, q, top, large, widen)                                              \
    SSE2_NEAREST(s, q, top, large, widen) "movaps %2, %1\n\tcmplt" s " %0, %1\n\t"         \
    SSE2_STEP("add", s) SSE2_SIGNED(q, top)
#define SSE2_CEIL(s, q, top, large, widen)                                               \
    SSE2_NEAREST(s, q, top, large, widen) "movaps %0, %1\n\tcmplt" s " %2, %1\n\t"         \
    SSE2_STEP("sub", s) SSE2_SIGNED(q, top)
#define SSE2_TRUNC(s, q, top, large, widen)                                              \
    SSE2_LARGE(s, q, large, widen) SSE2_MAGNITUDE("%0", q) SSE2_THERE_AND_BACK(s)          \
    SSE2_MAGNITUDE("%1", q) "cmplt" s " %0, %1\n\t" SSE2_STEP("add", s) SSE2_SIGNED(q, top)

/* 1 with the sign of a, but a itself where it is zero or NaN: the magnitude is not above 0. */
#define SSE2_UNIT(s, q, top, one, widen)                                                 \
    SSE2_MAGNITUDE("%1", q) "xorps %0, %0\n\tcmplt" s " %1, %0\n\tmovd %0, %%eax\n\tandl $" one ", %%eax\n\t" \
    "pandn %2, %0\n\tmovd %%eax, %1\n\t" widen "por %1, %0\n\t" SSE2_SIGNED(q, top)

/* A function made of one of these texts. */
#define SSE2_FUNCTION(name, type, text)                                    \
    TEXT type name(type a) {                                               \
        register type r __asm__("xmm6"), other __asm__("xmm7");            \
        __asm__(text : "=&x"(r), "=&x"(other) : "x"(a) : "eax", "cc");     \
        return r;                                                          \
    }

#define SSE2_F32(text, constant) text("ss", "d", "31", constant, "")
#define SSE2_F64(text, constant) text("sd", "q", "63", constant, "psllq $32, %1\n\t")

#endif
