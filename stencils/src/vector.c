/* Four float lanes in one register. Each op does to every lane exactly what the scalar op
 * does. Memory need only be aligned to words. */
//@ mov f32x4 V=V: D = A
//@ ld f32x4 V= offset bytewise: LD_F32X4(D, OFF) // far: LD_F32X4_FAR(D, hole32())
//@ st f32x4 =V offset bytewise: ST_F32X4(A, OFF) // far: ST_F32X4_FAR(A, hole32())
//@ ldx f32x4 V=I index bytewise: LDX_F32X4(D, A, OFF) // far: LDX_F32X4_FAR(D, A, hole32())
//@ stx f32x4 =VI index bytewise: STX_F32X4(A, B, OFF) // far: STX_F32X4_FAR(A, B, hole32())
//@ ldp f32x4 V=I index bytewise needs pointers: LDP_F32X4(D, A, OFF) // far: LDP_F32X4_FAR(D, A)
//@ stp f32x4 =VI index bytewise needs pointers: STP_F32X4(A, B, OFF) // far: STP_F32X4_FAR(A, B)
//@ ldp2 f32x4 =IVV two needs couples: LDP2_F32X4(B, C, A, OFF)
//@ stp2 f32x4 =IVV two needs couples: STP2_F32X4(B, C, A, OFF)
//@ splat f32x4 V= offset: SPLAT_F32X4(D, OFF) // far: SPLAT_F32X4_FAR(D, hole32())
//@ splatx f32x4 V=I index: SPLATX_F32X4(D, A, OFF) // far: SPLATX_F32X4_FAR(D, A, hole32())
//@ splatp f32x4 V=I index needs pointers: SPLATP_F32X4(D, A, OFF) // far: SPLATP_F32X4_FAR(D, A)
//@ everyx2 f32x4 V=I number by2 needs couples: EVERY_X("ld2", TWO, D, A, OFF)
//@ everyx3 f32x4 V=I number by3 needs couples: EVERY_X("ld3", THREE, D, A, OFF)
//@ everyx4 f32x4 V=I number by4 needs couples: EVERY_X("ld4", FOUR, D, A, OFF)
//@ everyp2 f32x4 V=I number by2 needs couples: EVERY_AT("ld2", TWO, D, A) // far: EVERY_P("ld2", TWO, D, A, OFF)
//@ everyp3 f32x4 V=I number by3 needs couples: EVERY_AT("ld3", THREE, D, A) // far: EVERY_P("ld3", THREE, D, A, OFF)
//@ everyp4 f32x4 V=I number by4 needs couples: EVERY_AT("ld4", FOUR, D, A) // far: EVERY_P("ld4", FOUR, D, A, OFF)
//@ add sub mul div min max f32x4 V=VV tied
//@ muls f32x4 V=VV needs neon: MULS_F32X4(D, A, B)
//@ mullane f32x4 V=VV lane needs neon: MULLANE_F32X4(D, A, B, OFF)
//@ fold2 fold1 even odd weavelow weavehigh f32x4 V=VV tied
//@ reverse f32x4 V=V
//@ neg abs sqrt f32x4 V=V
//@ floor trunc ceil round f32x4 V=V needs sse41 neon
//@ lt le gt ge eq ne f32x4 V=VV tied
//@ select f32x4 i32x4 boolx4 V=VVV: SELECT_X4(D, A, B, C)
//@ to_i32 f32x4 V=V tied
//@ to_f32 i32x4 boolx4 V=V
//@ add sub i32x4 V=VV tied
//@ mul min max i32x4 V=VV tied needs sse41 neon
//@ muladd i32x4 V=VVV needs products: PRODUCT_X4("mla", D, A, B, C)
//@ mulsub i32x4 V=VVV needs products: PRODUCT_X4("mls", D, A, B, C)
//@ addshrback i32x4 V=VV shifted needs products: ADD_SHRBACK_X4(D, A, B, OFF)
//@ absdiff f32x4 V=VV needs neon: ABSDIFF_F32X4(D, A, B)
//@ neg i32x4 V=V tied
//@ abs i32x4 V=V needs sse41 neon
//@ mul i32x4 V=VV tied needs sse2: MUL_X4(D, A, B)
//@ mulhigh i32x4 V=VV tied needs sse2: MULHIGH_X4(D, A, B)
//@ mulhigh i32x4 V=VV needs neon: MULHIGH_X4(D, A, B)
//@ min i32x4 V=VV tied needs sse2: MIN_X4(D, A, B)
//@ max i32x4 V=VV tied needs sse2: MAX_X4(D, A, B)
//@ abs i32x4 V=V tied needs sse2
//@ sign f32x4 V=V tied needs sse2: SIGN_X4(D)
//@ sign i32x4 V=V tied needs sse2
//@ lesser greater f32x4 V=VV tied needs sse2
//@ ltm lem eqm nem f32x4 V=VV tied needs sse2 neon
//@ gtm ngtm eqm nem i32x4 V=VV tied needs sse2 neon
//@ selm f32x4 V=VVV needs sse2 neon: SELECT_BY_MASK(f32x4, D, A, B, C)
//@ keepm dropm f32x4 V=VV tied needs sse2 neon
//@ shli i32x4 V=V shifted needs neon sse2: SHLI_X4(D, A, OFF)
//@ shri i32x4 V=V shifted needs sse2: SHRI_X4(D, A)
//@ shrback i32x4 V=V shifted needs neon: SHRBACK_X4(D, A, OFF)
//@ and or xor i32x4 boolx4 V=VV tied: D = {op}_x4(A, B)
//@ not boolx4 V=V tied
//@ lt gt le ge i32x4 V=VV tied
//@ eq ne i32x4 boolx4 V=VV tied
#include "lanes.h"
#include "round.h"
#include "stencil.h"

TEXT f32x4 add_f32x4(f32x4 a, f32x4 b) { return a + b; }
TEXT f32x4 sub_f32x4(f32x4 a, f32x4 b) { return a - b; }
TEXT f32x4 mul_f32x4(f32x4 a, f32x4 b) { return a * b; }
TEXT f32x4 div_f32x4(f32x4 a, f32x4 b) { return a / b; }

PLAIN_LANES(4)

#if defined(X86)

#define LD_F32X4(d, offset) __asm__("movups cf_hole(" BASE "), %0" : "=x"(d) : : "memory")
#define ST_F32X4(a, offset) __asm__ volatile("movups %0, cf_hole(" BASE ")" : : "x"(a) : "memory")
#define LDX_F32X4(d, index, offset) __asm__("movups cf_hole(" BASE ", " INDEX "1), %0" : "=x"(d) : "r"(index) : "memory")
#define STX_F32X4(a, index, offset) __asm__ volatile("movups %0, cf_hole(" BASE ", " INDEX "1)" : : "x"(a), "r"(index) : "memory")

/* Four copies of one word. */
#define SPLAT_F32X4(d, offset) __asm__("movss cf_hole(" BASE "), %0\n\tshufps $0, %0, %0" : "=x"(d) : : "memory")
#define SPLATX_F32X4(d, index, offset) \
    __asm__("movss cf_hole(" BASE ", " INDEX "1), %0\n\tshufps $0, %0, %0" : "=x"(d) : "r"(index) : "memory")

#define SCRATCH_F32X4(name) register f32x4 name __asm__(SCRATCH_XMM)

/* As the scalar forms in float.c, whose comments say why. */
TEXT f32x4 neg_f32x4(f32x4 a) {
    SCRATCH_F32X4(r);
    __asm__("pcmpeqd %0, %0\n\tpslld $31, %0\n\txorps %1, %0" : "=&x"(r) : "x"(a));
    return r;
}

TEXT f32x4 abs_f32x4(f32x4 a) {
    SCRATCH_F32X4(r);
    __asm__("pcmpeqd %0, %0\n\tpsrld $1, %0\n\tandps %1, %0" : "=&x"(r) : "x"(a));
    return r;
}

TEXT f32x4 min_f32x4(f32x4 a, f32x4 b) {
    SCRATCH_F32X4(s);
    __asm__("movaps %2, %1\n\tminps %0, %1\n\tminps %2, %0\n\torps %1, %0" : "+x"(a), "=&x"(s) : "x"(b));
    return a;
}

TEXT f32x4 max_f32x4(f32x4 a, f32x4 b) {
    SCRATCH_F32X4(s);
    __asm__("movaps %2, %1\n\tmaxps %0, %1\n\tmaxps %2, %0\n\t"
            "xorps %1, %0\n\torps %0, %1\n\tsubps %0, %1\n\tmovaps %1, %0"
            : "+x"(a), "=&x"(s)
            : "x"(b));
    return a;
}

TEXT f32x4 sqrt_f32x4(f32x4 a) {
    f32x4 r;
    __asm__("sqrtps %1, %0" : "=x"(r) : "x"(a));
    return r;
}

/* The result goes to a; the second form has a scratch register. */
#define IN_PLACE_F32X4(name, text)                   \
    TEXT f32x4 name(f32x4 a, f32x4 b) {              \
        __asm__(text : "+x"(a) : "x"(b));            \
        return a;                                    \
    }
#define BY_WAY_F32X4(name, text)                     \
    TEXT f32x4 name(f32x4 a, f32x4 b) {              \
        SCRATCH_F32X4(s);                            \
        __asm__(text : "+x"(a), "=&x"(s) : "x"(b));  \
        return a;                                    \
    }

/* A comparison gives all ones where it holds: the top bit is the bool. Where its contrary
 * holds, taking away -1 gives it. */
/* Sums of halves and of neighbours: (a0 + a2, a1 + a3, b0 + b2, b1 + b3) and (a0 + a1, a2 + a3,
 * b0 + b1, b2 + b3). */
BY_WAY_F32X4(fold2_f32x4, "movaps %0, %1\n\tshufps $0xee, %2, %1\n\tshufps $0x44, %2, %0\n\taddps %1, %0")
BY_WAY_F32X4(fold1_f32x4, "movaps %0, %1\n\tshufps $0xdd, %2, %1\n\tshufps $0x88, %2, %0\n\taddps %1, %0")

/* As the scalar forms. */
IN_PLACE_F32X4(lesser_f32x4, "minps %1, %0")
IN_PLACE_F32X4(greater_f32x4, "maxps %1, %0")

/* Every other lane of both, and the lanes in reverse. */
IN_PLACE_F32X4(even_f32x4, "shufps $0x88, %1, %0")
IN_PLACE_F32X4(odd_f32x4, "shufps $0xdd, %1, %0")

/* The first two lanes of both in turn, and the last two. */
IN_PLACE_F32X4(weavelow_f32x4, "unpcklps %1, %0")
IN_PLACE_F32X4(weavehigh_f32x4, "unpckhps %1, %0")

#define LANEWISE_F32X4(name, insn)                   \
    TEXT f32x4 name(f32x4 a) {                       \
        f32x4 r;                                     \
        __asm__(insn " %1, %0" : "=x"(r) : "x"(a));  \
        return r;                                    \
    }
LANEWISE_F32X4(reverse_f32x4, "pshufd $0x1b,")

IN_PLACE_F32X4(lt_f32x4, "cmpltps %1, %0\n\tpsrld $31, %0")
IN_PLACE_F32X4(le_f32x4, "cmpleps %1, %0\n\tpsrld $31, %0")
IN_PLACE_F32X4(eq_f32x4, "cmpeqps %1, %0\n\tpsrld $31, %0")
IN_PLACE_F32X4(ne_f32x4, "cmpneqps %1, %0\n\tpsrld $31, %0")
BY_WAY_F32X4(gt_f32x4, "movaps %2, %1\n\tcmpltps %0, %1\n\tpsrld $31, %1\n\tmovaps %1, %0")
BY_WAY_F32X4(ge_f32x4, "movaps %2, %1\n\tcmpleps %0, %1\n\tpsrld $31, %1\n\tmovaps %1, %0")
IN_PLACE_F32X4(gt_i32x4, "pcmpgtd %1, %0\n\tpsrld $31, %0")
IN_PLACE_F32X4(eq_i32x4, "pcmpeqd %1, %0\n\tpsrld $31, %0")
BY_WAY_F32X4(lt_i32x4, "movaps %2, %1\n\tpcmpgtd %0, %1\n\tpsrld $31, %1\n\tmovaps %1, %0")
BY_WAY_F32X4(le_i32x4, "pcmpgtd %2, %0\n\tpcmpeqd %1, %1\n\tpsubd %1, %0")
BY_WAY_F32X4(ne_i32x4, "pcmpeqd %2, %0\n\tpcmpeqd %1, %1\n\tpsubd %1, %0")
BY_WAY_F32X4(ge_i32x4, "movaps %2, %1\n\tpcmpgtd %0, %1\n\tpcmpeqd %0, %0\n\tpsubd %0, %1\n\tmovaps %1, %0")

/* Masks, all ones or zeros, and what they choose: the second operand or nothing, where they are set or where not. */
IN_PLACE_F32X4(ltm_f32x4, "cmpltps %1, %0")
IN_PLACE_F32X4(lem_f32x4, "cmpleps %1, %0")
IN_PLACE_F32X4(eqm_f32x4, "cmpeqps %1, %0")
IN_PLACE_F32X4(nem_f32x4, "cmpneqps %1, %0")
IN_PLACE_F32X4(gtm_i32x4, "pcmpgtd %1, %0")
IN_PLACE_F32X4(eqm_i32x4, "pcmpeqd %1, %0")
BY_WAY_F32X4(ngtm_i32x4, "pcmpgtd %2, %0\n\tpcmpeqd %1, %1\n\tpxor %1, %0")
BY_WAY_F32X4(nem_i32x4, "pcmpeqd %2, %0\n\tpcmpeqd %1, %1\n\tpxor %1, %0")
IN_PLACE_F32X4(keepm_f32x4, "andps %1, %0")
IN_PLACE_F32X4(dropm_f32x4, "andnps %1, %0")

TEXT f32x4 neg_i32x4(f32x4 a) {
    SCRATCH_F32X4(s);
    __asm__("pxor %1, %1\n\tpsubd %0, %1\n\tmovaps %1, %0" : "+x"(a), "=&x"(s));
    return a;
}

/* 1 with the sign of a, but a itself where it is zero or NaN: where its magnitude is not above 0. A macro, as SELECT_X4. */
#define SIGN_X4(d)                                                                                      \
    do {                                                                                                \
        SCRATCH_F32X4(s);                                                                               \
        register f32x4 t __asm__(SCRATCH2_XMM);                                                         \
        __asm__("movaps %0, %1\n\tpslld $1, %1\n\tpsrld $1, %1\n\txorps %2, %2\n\tcmpltps %1, %2\n\t" \
                "pcmpeqd %1, %1\n\tpsrld $25, %1\n\tpslld $23, %1\n\tandps %2, %1\n\t"                \
                "andnps %0, %2\n\torps %2, %1\n\tpsrld $31, %0\n\tpslld $31, %0\n\torps %1, %0"         \
                : "+x"(d), "=&x"(s), "=&x"(t));                                                         \
    } while (0)

TEXT f32x4 sign_i32x4(f32x4 a) {
    SCRATCH_F32X4(s);
    __asm__("pxor %1, %1\n\tpsubd %0, %1\n\tpsrld $31, %1\n\tpsrad $31, %0\n\tpor %1, %0" : "+x"(a), "=&x"(s));
    return a;
}

TEXT f32x4 not_boolx4(f32x4 a) {
    SCRATCH_F32X4(s);
    __asm__("pcmpeqd %1, %1\n\tpaddd %1, %0\n\tpsrld $31, %0" : "+x"(a), "=&x"(s));
    return a;
}

/* A macro, since arguments of a function would need registers of their own. */
#define SELECT_X4(d, cond, a, b)                                                            \
    do {                                                                                    \
        SCRATCH_F32X4(s);                                                                   \
        register f32x4 chosen __asm__(SCRATCH2_XMM);                                        \
        __asm__("movaps %3, %2\n\tpslld $31, %2\n\tpsrad $31, %2\n\tmovaps %4, %1\n\t"    \
                "xorps %5, %1\n\tandps %2, %1\n\txorps %5, %1\n\tmovaps %1, %0"             \
                : "=x"(d), "=&x"(s), "=&x"(chosen)                                          \
                : "x"(cond), "x"(a), "x"(b));                                               \
    } while (0)

/* The conversion gives MIN for everything out of range. Where that is negative and a is
 * not, it becomes MAX; where a is a NaN, 0. */
TEXT f32x4 to_i32_f32x4(f32x4 a) {
    SCRATCH_F32X4(s);
    register f32x4 r __asm__(SCRATCH2_XMM);
    __asm__("cvttps2dq %0, %2\n\tmovaps %0, %1\n\tandnps %2, %1\n\tpsrad $31, %1\n\tpxor %1, %2\n\t"
            "cmpordps %0, %0\n\tandps %2, %0"
            : "+x"(a), "=&x"(s), "=&x"(r));
    return a;
}

/* By a constant from 1 to 31. */
#define SHIFTED_X4(insn, d, a)                           \
    do {                                                 \
        d = a;                                           \
        __asm__(insn " $cf_hole, %0" : "+x"(d));         \
    } while (0)
#define SHLI_X4(d, a, n) SHIFTED_X4("pslld", d, a)
#define SHRI_X4(d, a) SHIFTED_X4("psrad", d, a)

#if defined(__SSE4_1__)
IN_PLACE_F32X4(mul_i32x4, "pmulld %1, %0")
IN_PLACE_F32X4(min_i32x4, "pminsd %1, %0")
IN_PLACE_F32X4(max_i32x4, "pmaxsd %1, %0")
LANEWISE_F32X4(abs_i32x4, "pabsd")
LANEWISE_F32X4(floor_f32x4, "roundps " ROUND_DOWN ",")
LANEWISE_F32X4(trunc_f32x4, "roundps " ROUND_TO_ZERO ",")
LANEWISE_F32X4(ceil_f32x4, "roundps " ROUND_UP ",")
LANEWISE_F32X4(round_f32x4, "roundps " ROUND_TO_NEAREST ",")
#else
/* With two scratch registers: macros, as SELECT_X4, since d is a here. */
#define BY_TWO_WAYS_X4(text, d, b)                                   \
    do {                                                             \
        SCRATCH_F32X4(s);                                            \
        register f32x4 t __asm__(SCRATCH2_XMM);                      \
        __asm__(text : "+x"(d), "=&x"(s), "=&x"(t) : "x"(b));        \
    } while (0)
/* Products of every other lane are of 64 bits, whose lower or upper halves are then put in order. */
#define HALVES_X4(order, d, b)                                                                                 \
    BY_TWO_WAYS_X4("pshufd $0xf5, %0, %1\n\tpshufd $0xf5, %3, %2\n\tpmuludq %3, %0\n\tpmuludq %2, %1\n\t"    \
                   "pshufd " order ", %0, %0\n\tpshufd " order ", %1, %1\n\tpunpckldq %1, %0", d, b)
#define MUL_X4(d, a, b) HALVES_X4("$0x08", d, b)
#define MULHIGH_X4(d, a, b) HALVES_X4("$0x0d", d, b)
/* The bits in which both differ change a where it is greater or less. */
#define EXCHANGED_X4 "movaps %3, %2\n\tpxor %0, %2\n\tpand %1, %2\n\tpxor %2, %0"
#define MIN_X4(d, a, b) BY_TWO_WAYS_X4("movaps %0, %1\n\tpcmpgtd %3, %1\n\t" EXCHANGED_X4, d, b)
#define MAX_X4(d, a, b) BY_TWO_WAYS_X4("movaps %3, %1\n\tpcmpgtd %0, %1\n\t" EXCHANGED_X4, d, b)

TEXT f32x4 abs_i32x4(f32x4 a) {
    SCRATCH_F32X4(s);
    __asm__("movaps %0, %1\n\tpsrad $31, %1\n\tpxor %1, %0\n\tpsubd %1, %0" : "+x"(a), "=&x"(s));
    return a;
}
#endif

#elif defined(__aarch64__)

/* ldur and stur take any offset below 256; ldr and str only multiples of 16. */
#define LD_F32X4(d, offset) __asm__("ldur %q0, [%1, %2]" : "=w"(d) : "r"(base), "i"(offset) : "memory")
#define ST_F32X4(a, offset) __asm__ volatile("stur %q0, [%1, %2]" : : "w"(a), "r"(base), "i"(offset) : "memory")
#define LDX_F32X4(d, index, offset) \
    __asm__("ldur %q0, [%1, %2]" : "=w"(d) : "r"(indexed(base, index)), "i"(offset) : "memory")
#define STX_F32X4(a, index, offset) \
    __asm__ volatile("stur %q0, [%1, %2]" : : "w"(a), "r"(indexed(base, index)), "i"(offset) : "memory")

#define LDP_F32X4(d, p, offset) __asm__ volatile("ldur %q0, [%x1, %2]" : "=w"(d) : "r"(p), "i"(offset) : "memory")
#define STP_F32X4(a, p, offset) __asm__ volatile("stur %q0, [%x1, %2]" : : "w"(a), "r"(p), "i"(offset) : "memory")
#define LDP_F32X4_FAR(d, p) __asm__ volatile("ldr %q0, [%x1, %w2, uxtw]" : "=w"(d) : "r"(p), "r"(hole32()) : "memory")
#define STP_F32X4_FAR(a, p) __asm__ volatile("str %q0, [%x1, %w2, uxtw]" : : "w"(a), "r"(p), "r"(hole32()) : "memory")

/* ldp and stp take multiples of 16. */
#define LDP2_F32X4(a, b, p, offset) \
    __asm__ volatile("ldp %q0, %q1, [%x2, %3]" : "=w"(a), "=w"(b) : "r"(p), "i"(offset) : "memory")
#define STP2_F32X4(a, b, p, offset) \
    __asm__ volatile("stp %q0, %q1, [%x2, %3]" : : "w"(a), "w"(b), "r"(p), "i"(offset) : "memory")

/* Every other, third or fourth word, in d and the registers behind it, whose numbers the text has: GCC knows of d alone. */
#define NUMBER(d) ((#d)[2] ? 10 * ((#d)[1] - '0') + (#d)[2] - '0' : (#d)[1] - '0')
#define TWO "{v%c4.4s, v%c5.4s}, "
#define THREE "{v%c4.4s, v%c5.4s, v%c6.4s}, "
#define FOUR "{v%c4.4s, v%c5.4s, v%c6.4s, v%c7.4s}, "
#define EVERY(insn, regs, address, from, d, a, n)                                                                \
    __asm__ volatile(address insn " " regs from                                                                  \
                     : "=w"(d) : "r"(a), "i"(n), "r"(base), "i"(NUMBER(d)), "i"(NUMBER(d) + 1), "i"(NUMBER(d) + 2), \
                       "i"(NUMBER(d) + 3) : "x0", "memory")
#define EVERY_X(insn, regs, d, index, n) EVERY(insn, regs, "add x0, %3, %w1, uxtw\n\tadd x0, x0, %2\n\t", "[x0]", d, index, n)
#define EVERY_P(insn, regs, d, p, n) EVERY(insn, regs, "add x0, %x1, %2\n\t", "[x0]", d, p, n)
#define EVERY_AT(insn, regs, d, p) EVERY(insn, regs, "", "[%x1]", d, p, 0)

#define LD_F32X4_FAR(d, offset) __asm__("ldr %q0, [%1, %w2, uxtw]" : "=w"(d) : "r"(base), "r"(offset) : "memory")
#define ST_F32X4_FAR(a, offset) \
    __asm__ volatile("str %q0, [%1, %w2, uxtw]" : : "w"(a), "r"(base), "r"(offset) : "memory")
#define LDX_F32X4_FAR(d, index, offset) \
    __asm__("ldr %q0, [%1, %w2, uxtw]" : "=w"(d) : "r"(indexed(base, index)), "r"(offset) : "memory")
#define STX_F32X4_FAR(a, index, offset) \
    __asm__ volatile("str %q0, [%1, %w2, uxtw]" : : "w"(a), "r"(indexed(base, index)), "r"(offset) : "memory")

/* Four copies of one word. */
#define SPLAT_AT(d, at, offset) \
    __asm__("ldr %s0, [%1, %2]\n\tdup %0.4s, %0.s[0]" : "=w"(d) : "r"(at), "i"(offset) : "memory")
#define SPLAT_AT_FAR(d, at, offset) \
    __asm__("ldr %s0, [%1, %w2, uxtw]\n\tdup %0.4s, %0.s[0]" : "=w"(d) : "r"(at), "r"(offset) : "memory")
#define SPLAT_F32X4(d, offset) SPLAT_AT(d, base, offset)
#define SPLAT_F32X4_FAR(d, offset) SPLAT_AT_FAR(d, base, offset)
#define SPLATX_F32X4(d, index, offset) SPLAT_AT(d, indexed(base, index), offset)
#define SPLATX_F32X4_FAR(d, index, offset) SPLAT_AT_FAR(d, indexed(base, index), offset)
#define SPLATP_F32X4(d, p, offset) \
    __asm__("ldr %s0, [%x1, %2]\n\tdup %0.4s, %0.s[0]" : "=w"(d) : "r"(p), "i"(offset) : "memory")
#define SPLATP_F32X4_FAR(d, p) \
    __asm__("ldr %s0, [%x1, %w2, uxtw]\n\tdup %0.4s, %0.s[0]" : "=w"(d) : "r"(p), "r"(hole32()) : "memory")

TEXT f32x4 neg_f32x4(f32x4 a) { return -a; }

/* a times one word of b, the first one or number n. */
#define MULS_F32X4(d, a, b) MULLANE_F32X4(d, a, b, 0)
#define MULLANE_F32X4(d, a, b, n) __asm__("fmul %0.4s, %1.4s, %2.s[%3]" : "=w"(d) : "w"(a), "w"(b), "i"(n))

/* As on x86. */
TEXT f32x4 fold2_f32x4(f32x4 a, f32x4 b) {
    return __builtin_shuffle(a, b, (u32x4){0, 1, 4, 5}) + __builtin_shuffle(a, b, (u32x4){2, 3, 6, 7});
}

TEXT f32x4 fold1_f32x4(f32x4 a, f32x4 b) {
    f32x4 r;
    __asm__("faddp %0.4s, %1.4s, %2.4s" : "=w"(r) : "w"(a), "w"(b));
    return r;
}

#define OF_TWO_F32X4(name, insn)                                                   \
    TEXT f32x4 name(f32x4 a, f32x4 b) {                                            \
        f32x4 r;                                                                   \
        __asm__(insn " %0.4s, %1.4s, %2.4s" : "=w"(r) : "w"(a), "w"(b));           \
        return r;                                                                  \
    }
OF_TWO_F32X4(min_f32x4, "fmin")
OF_TWO_F32X4(max_f32x4, "fmax")
OF_TWO_F32X4(min_i32x4, "smin")
OF_TWO_F32X4(max_i32x4, "smax")
OF_TWO_F32X4(even_f32x4, "uzp1")
OF_TWO_F32X4(odd_f32x4, "uzp2")
OF_TWO_F32X4(weavelow_f32x4, "zip1")
OF_TWO_F32X4(weavehigh_f32x4, "zip2")

TEXT f32x4 reverse_f32x4(f32x4 a) {
    f32x4 r;
    __asm__("rev64 %0.4s, %1.4s\n\text %0.16b, %0.16b, %0.16b, #8" : "=w"(r) : "w"(a));
    return r;
}

/* The upper halves of products of 64 bits. */
#define MULHIGH_X4(d, a, b)                                                                       \
    __asm__("umull2 v31.2d, %1.4s, %2.4s\n\tumull %0.2d, %1.2s, %2.2s\n\tuzp2 %0.4s, %0.4s, v31.4s" \
            : "=w"(d) : "w"(a), "w"(b) : "v31")

/* With products of lanes, which are added or subtracted in place. */
#define PRODUCT_X4(insn, d, a, b, c)                                                                             \
    do {                                                                                                         \
        if (SAME(d, a))                                                                                          \
            __asm__(insn " %0.4s, %1.4s, %2.4s" : "+w"(d) : "w"(b), "w"(c));                                     \
        else if (SAME(d, b) || SAME(d, c))                                                                       \
            __asm__("mov v31.16b, %1.16b\n\t" insn " v31.4s, %2.4s, %3.4s\n\tmov %0.16b, v31.16b"                \
                    : "=w"(d) : "w"(a), "w"(b), "w"(c) : "v31");                                                 \
        else                                                                                                     \
            __asm__("mov %0.16b, %1.16b\n\t" insn " %0.4s, %2.4s, %3.4s" : "=&w"(d) : "w"(a), "w"(b), "w"(c));   \
    } while (0)

#define LANEWISE_F32X4(name, insn)                                \
    TEXT f32x4 name(f32x4 a) {                                    \
        f32x4 r;                                                  \
        __asm__(insn " %0.4s, %1.4s" : "=w"(r) : "w"(a));       \
        return r;                                                 \
    }
LANEWISE_F32X4(abs_f32x4, "fabs")
LANEWISE_F32X4(abs_i32x4, "abs")
LANEWISE_F32X4(sqrt_f32x4, "fsqrt")
LANEWISE_F32X4(floor_f32x4, "frintm")
LANEWISE_F32X4(trunc_f32x4, "frintz")
LANEWISE_F32X4(ceil_f32x4, "frintp")
LANEWISE_F32X4(round_f32x4, "frintn")
LANEWISE_F32X4(to_i32_f32x4, "fcvtzs") /* saturates, and NaN gives 0 */

LANES2(4, lt_f32, f32, TRUTH(4, a < b))
LANES2(4, le_f32, f32, TRUTH(4, a <= b))
LANES2(4, gt_f32, f32, TRUTH(4, a > b))
LANES2(4, ge_f32, f32, TRUTH(4, a >= b))
LANES2(4, eq_f32, f32, TRUTH(4, a == b))
LANES2(4, ne_f32, f32, TRUTH(4, a != b))
LANES2(4, lt_i32, i32, TRUTH(4, a < b))
LANES2(4, le_i32, i32, TRUTH(4, a <= b))
LANES2(4, gt_i32, i32, TRUTH(4, a > b))
LANES2(4, ge_i32, i32, TRUTH(4, a >= b))
LANES2(4, eq_i32, i32, TRUTH(4, a == b))
LANES2(4, ne_i32, i32, TRUTH(4, a != b))

/* Masks, all ones or zeros, and what they choose: the second operand or nothing, where they are set or where not. */
LANES2(4, ltm_f32, f32, a < b)
LANES2(4, lem_f32, f32, a <= b)
LANES2(4, eqm_f32, f32, a == b)
LANES2(4, nem_f32, f32, a != b)
LANES2(4, gtm_i32, i32, a > b)
LANES2(4, ngtm_i32, i32, a <= b)
LANES2(4, eqm_i32, i32, a == b)
LANES2(4, nem_i32, i32, a != b)
LANES2(4, keepm_f32, u32, a & b)
LANES2(4, dropm_f32, u32, ~a & b)

/* a where the mask is set, b elsewhere. */
#define SELECT_BY_MASK(type, d, mask, a, b)                                                                     \
    do {                                                                                                        \
        if (SAME(d, mask))                                                                                      \
            __asm__("bsl %0.16b, %1.16b, %2.16b" : "+w"(d) : "w"(a), "w"(b));                                   \
        else if (SAME(d, a))                                                                                    \
            __asm__("bif %0.16b, %1.16b, %2.16b" : "+w"(d) : "w"(b), "w"(mask));                                \
        else if (SAME(d, b))                                                                                    \
            __asm__("bit %0.16b, %1.16b, %2.16b" : "+w"(d) : "w"(a), "w"(mask));                                \
        else                                                                                                    \
            __asm__("mov %0.16b, %1.16b\n\tbsl %0.16b, %2.16b, %3.16b" : "=&w"(d) : "w"(mask), "w"(a), "w"(b)); \
    } while (0)

LANES1(4, neg_i32, u32, -a)
LANES1(4, not_bool, u32, TRUTH(4, a == 0))
LANES2(4, mul_i32, u32, a * b)

#define SELECT_X4(d, cond, a, b) d = select_x4(cond, a, b)
TEXT f32x4 select_x4(f32x4 cond, f32x4 a, f32x4 b) {
    u32x4 chosen = (u32x4)((i32x4)((u32x4)cond << 31) >> 31);
    return (f32x4)((u32x4)b ^ (((u32x4)a ^ (u32x4)b) & chosen));
}

#else
#error "vector.c: how does this architecture work on four lanes?"
#endif
