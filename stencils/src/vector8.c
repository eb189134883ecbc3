/* Eight float lanes in one register, by AVX2. Each op does to every lane exactly what the
 * scalar op does. Memory need only be aligned to words. Where code goes on with
 * instructions of the base, narrow comes first: those would wait for the upper halves of
 * the registers, or stop the processor for some 70 cycles. */
//@ mov f32x8 V=V needs avx2: D = A
//@ ld f32x8 V= offset needs avx2: LD_F32X8(D, OFF)
//@ st f32x8 =V offset needs avx2: ST_F32X8(A, OFF)
//@ ldx f32x8 V=I index needs avx2: LDX_F32X8(D, A, OFF)
//@ stx f32x8 =VI index needs avx2: STX_F32X8(A, B, OFF)
//@ splat f32x8 V= offset needs avx2: SPLAT_F32X8(D, OFF)
//@ splatx f32x8 V=I index needs avx2: SPLATX_F32X8(D, A, OFF)
//@ narrow f32x8 = needs avx2: narrow_f32x8()
//@ add sub mul f32x8 V=VV needs avx2
//@ addx f32x8 V=VI index needs avx2: INDEXED_F32X8("vaddps", D, A, B)
//@ subx f32x8 V=VI index needs avx2: INDEXED_F32X8("vsubps", D, A, B)
//@ mulx f32x8 V=VI index needs avx2: INDEXED_F32X8("vmulps", D, A, B)
//@ div min max f32x8 V=VV needs avx2
//@ fold4 fold2 fold1 even odd f32x8 V=VV needs avx2
//@ even4 odd4 weavelow4 weavehigh4 lowhalves highhalves f32x8 V=VV needs avx2
//@ reverse f32x8 V=V needs avx2
//@ neg abs sqrt floor trunc ceil round f32x8 V=V needs avx2
//@ lt le gt ge eq ne f32x8 V=VV needs avx2
//@ select f32x8 i32x8 boolx8 V=VVV needs avx2: D = select_x8(A, B, C)
//@ to_i32 f32x8 V=V needs avx2
//@ to_f32 i32x8 boolx8 V=V needs avx2
//@ add sub mul min max i32x8 V=VV needs avx2
//@ mulhigh i32x8 V=VV needs avx2: MULHIGH_X8(D, A, B)
//@ neg abs i32x8 V=V needs avx2
//@ sign f32x8 V=V needs avx2
//@ sign i32x8 V=V needs avx2
//@ lesser greater f32x8 V=VV needs avx2
//@ shli i32x8 V=V shifted needs avx2: SHIFTED_X8("vpslld", D, A)
//@ shri i32x8 V=V shifted needs avx2: SHIFTED_X8("vpsrad", D, A)
//@ ltm lem eqm nem f32x8 V=VV needs avx2
//@ gtm ngtm eqm nem i32x8 V=VV needs avx2
//@ selm f32x8 V=VVV needs avx2: D = selm_x8(A, B, C)
//@ keepm dropm f32x8 V=VV needs avx2
//@ and or xor i32x8 boolx8 V=VV needs avx2: D = {op}_x8(A, B)
//@ not boolx8 V=V needs avx2
//@ lt gt le ge i32x8 V=VV needs avx2
//@ eq ne i32x8 boolx8 V=VV needs avx2
#include "lanes.h"
#include "round.h"
#include "stencil.h"

#if defined(__AVX2__)

TEXT f32x8 add_f32x8(f32x8 a, f32x8 b) { return a + b; }
TEXT f32x8 sub_f32x8(f32x8 a, f32x8 b) { return a - b; }
TEXT f32x8 mul_f32x8(f32x8 a, f32x8 b) { return a * b; }
TEXT f32x8 div_f32x8(f32x8 a, f32x8 b) { return a / b; }

PLAIN_LANES(8)

#define LD_F32X8(d, offset) __asm__("vmovups cf_hole(%%rbx), %0" : "=x"(d) : : "memory")
#define ST_F32X8(a, offset) __asm__ volatile("vmovups %0, cf_hole(%%rbx)" : : "x"(a) : "memory")
#define LDX_F32X8(d, index, offset) __asm__("vmovups cf_hole(%%rbx, %q1), %0" : "=x"(d) : "r"(index) : "memory")
#define STX_F32X8(a, index, offset) \
    __asm__ volatile("vmovups %0, cf_hole(%%rbx, %q1)" : : "x"(a), "r"(index) : "memory")

/* d = a op the eight words at index plus offset. */
#define INDEXED_F32X8(insn, d, a, index) \
    __asm__(insn " cf_hole(%%rbx, %q2), %1, %0" : "=x"(d) : "x"(a), "r"(index) : "memory")

/* Eight copies of one word. */
#define SPLAT_F32X8(d, offset) __asm__("vbroadcastss cf_hole(%%rbx), %0" : "=x"(d) : : "memory")
#define SPLATX_F32X8(d, index, offset) \
    __asm__("vbroadcastss cf_hole(%%rbx, %q1), %0" : "=x"(d) : "r"(index) : "memory")

/* Clears the upper halves of all registers. */
TEXT void narrow_f32x8(void) { __asm__ volatile("vzeroupper"); }

#define SCRATCH_F32X8(name) register f32x8 name __asm__("xmm15")

/* As the scalar forms in float.c, whose comments say why. */
TEXT f32x8 neg_f32x8(f32x8 a) {
    SCRATCH_F32X8(s);
    f32x8 r;
    __asm__("vpcmpeqd %1, %1, %1\n\tvpslld $31, %1, %1\n\tvxorps %1, %2, %0" : "=x"(r), "=&x"(s) : "x"(a));
    return r;
}

TEXT f32x8 abs_f32x8(f32x8 a) {
    SCRATCH_F32X8(s);
    f32x8 r;
    __asm__("vpcmpeqd %1, %1, %1\n\tvpsrld $1, %1, %1\n\tvandps %1, %2, %0" : "=x"(r), "=&x"(s) : "x"(a));
    return r;
}

TEXT f32x8 min_f32x8(f32x8 a, f32x8 b) {
    SCRATCH_F32X8(s);
    f32x8 r;
    __asm__("vminps %2, %3, %1\n\tvminps %3, %2, %0\n\tvorps %1, %0, %0" : "=x"(r), "=&x"(s) : "x"(a), "x"(b));
    return r;
}

TEXT f32x8 max_f32x8(f32x8 a, f32x8 b) {
    SCRATCH_F32X8(s);
    f32x8 r;
    __asm__("vmaxps %2, %3, %1\n\tvmaxps %3, %2, %0\n\t"
            "vxorps %1, %0, %0\n\tvorps %0, %1, %1\n\tvsubps %0, %1, %0"
            : "=x"(r), "=&x"(s)
            : "x"(a), "x"(b));
    return r;
}

/* s is scratch. */
#define OF_TWO_F32X8(name, text)                                              \
    TEXT f32x8 name(f32x8 a, f32x8 b) {                                       \
        SCRATCH_F32X8(s);                                                     \
        f32x8 r;                                                              \
        __asm__(text : "=x"(r), "=&x"(s) : "x"(a), "x"(b));                  \
        return r;                                                             \
    }
OF_TWO_F32X8(lt_f32x8, "vcmpltps %3, %2, %1\n\tvpsrld $31, %1, %0")
OF_TWO_F32X8(le_f32x8, "vcmpleps %3, %2, %1\n\tvpsrld $31, %1, %0")
OF_TWO_F32X8(gt_f32x8, "vcmpltps %2, %3, %1\n\tvpsrld $31, %1, %0")
OF_TWO_F32X8(ge_f32x8, "vcmpleps %2, %3, %1\n\tvpsrld $31, %1, %0")
OF_TWO_F32X8(eq_f32x8, "vcmpeqps %3, %2, %1\n\tvpsrld $31, %1, %0")
OF_TWO_F32X8(ne_f32x8, "vcmpneqps %3, %2, %1\n\tvpsrld $31, %1, %0")
OF_TWO_F32X8(gt_i32x8, "vpcmpgtd %3, %2, %1\n\tvpsrld $31, %1, %0")
OF_TWO_F32X8(lt_i32x8, "vpcmpgtd %2, %3, %1\n\tvpsrld $31, %1, %0")
OF_TWO_F32X8(eq_i32x8, "vpcmpeqd %3, %2, %1\n\tvpsrld $31, %1, %0")
OF_TWO_F32X8(le_i32x8, "vpcmpgtd %3, %2, %0\n\tvpcmpeqd %1, %1, %1\n\tvpsubd %1, %0, %0")
OF_TWO_F32X8(ge_i32x8, "vpcmpgtd %2, %3, %0\n\tvpcmpeqd %1, %1, %1\n\tvpsubd %1, %0, %0")
OF_TWO_F32X8(ne_i32x8, "vpcmpeqd %3, %2, %0\n\tvpcmpeqd %1, %1, %1\n\tvpsubd %1, %0, %0")
OF_TWO_F32X8(mul_i32x8, "vpmulld %3, %2, %0")

/* Upper halves of products of every other lane, of 64 bits; the others come from the lanes beside. */
#define MULHIGH_X8(d, a, b)                                                                                     \
    do {                                                                                                        \
        SCRATCH_F32X8(s);                                                                                       \
        register f32x8 t __asm__("xmm14");                                                                      \
        __asm__("vpshufd $0xf5, %3, %1\n\tvpshufd $0xf5, %4, %2\n\tvpmuludq %2, %1, %1\n\tvpmuludq %4, %3, %2\n\t" \
                "vpshufd $0xf5, %2, %2\n\tvpblendd $0xaa, %1, %2, %0"                                          \
                : "=x"(d), "=&x"(s), "=&x"(t) : "x"(a), "x"(b));                                                \
    } while (0)
OF_TWO_F32X8(min_i32x8, "vpminsd %3, %2, %0")
OF_TWO_F32X8(max_i32x8, "vpmaxsd %3, %2, %0")

/* As the scalar forms. */
OF_TWO_F32X8(lesser_f32x8, "vminps %3, %2, %0")
OF_TWO_F32X8(greater_f32x8, "vmaxps %3, %2, %0")

/* Masks, all ones or zeros, as in vector.c. */
OF_TWO_F32X8(ltm_f32x8, "vcmpltps %3, %2, %0")
OF_TWO_F32X8(lem_f32x8, "vcmpleps %3, %2, %0")
OF_TWO_F32X8(eqm_f32x8, "vcmpeqps %3, %2, %0")
OF_TWO_F32X8(nem_f32x8, "vcmpneqps %3, %2, %0")
OF_TWO_F32X8(gtm_i32x8, "vpcmpgtd %3, %2, %0")
OF_TWO_F32X8(eqm_i32x8, "vpcmpeqd %3, %2, %0")
OF_TWO_F32X8(ngtm_i32x8, "vpcmpgtd %3, %2, %0\n\tvpcmpeqd %1, %1, %1\n\tvpxor %1, %0, %0")
OF_TWO_F32X8(nem_i32x8, "vpcmpeqd %3, %2, %0\n\tvpcmpeqd %1, %1, %1\n\tvpxor %1, %0, %0")
OF_TWO_F32X8(keepm_f32x8, "vandps %3, %2, %0")
OF_TWO_F32X8(dropm_f32x8, "vandnps %3, %2, %0")

TEXT f32x8 selm_x8(f32x8 mask, f32x8 a, f32x8 b) {
    f32x8 r;
    __asm__("vblendvps %1, %2, %3, %0" : "=x"(r) : "x"(mask), "x"(a), "x"(b));
    return r;
}

/* By a constant from 1 to 31. */
#define SHIFTED_X8(insn, d, a) __asm__(insn " $cf_hole, %1, %0" : "=x"(d) : "x"(a))

/* Sums of the halves of a and of b, and what the ops on four lanes do in each half. */
OF_TWO_F32X8(fold4_f32x8, "vperm2f128 $0x31, %3, %2, %1\n\tvperm2f128 $0x20, %3, %2, %0\n\tvaddps %1, %0, %0")
OF_TWO_F32X8(fold2_f32x8, "vshufps $0xee, %3, %2, %1\n\tvshufps $0x44, %3, %2, %0\n\tvaddps %1, %0, %0")
OF_TWO_F32X8(fold1_f32x8, "vshufps $0xdd, %3, %2, %1\n\tvshufps $0x88, %3, %2, %0\n\tvaddps %1, %0, %0")

/* Every other lane of both: of each half, whose quarters are then put in order. And the lanes in reverse. */
OF_TWO_F32X8(even_f32x8, "vshufps $0x88, %3, %2, %1\n\tvpermpd $0xd8, %1, %0")
OF_TWO_F32X8(odd_f32x8, "vshufps $0xdd, %3, %2, %1\n\tvpermpd $0xd8, %1, %0")
OF_TWO_F32X8(even4_f32x8, "vshufps $0x88, %3, %2, %0")
OF_TWO_F32X8(odd4_f32x8, "vshufps $0xdd, %3, %2, %0")

/* Lanes of both in turn within each half, and the halves. */
OF_TWO_F32X8(weavelow4_f32x8, "vunpcklps %3, %2, %0")
OF_TWO_F32X8(weavehigh4_f32x8, "vunpckhps %3, %2, %0")
OF_TWO_F32X8(lowhalves_f32x8, "vperm2f128 $0x20, %3, %2, %0")
OF_TWO_F32X8(highhalves_f32x8, "vperm2f128 $0x31, %3, %2, %0")

#define LANEWISE_F32X8(name, insn)          \
    TEXT f32x8 name(f32x8 a) {              \
        f32x8 r;                            \
        __asm__(insn : "=x"(r) : "x"(a)); \
        return r;                           \
    }
LANEWISE_F32X8(reverse_f32x8, "vpermpd $0x4e, %1, %0\n\tvpermilps $0x1b, %0, %0")
LANEWISE_F32X8(abs_i32x8, "vpabsd %1, %0")

TEXT f32x8 neg_i32x8(f32x8 a) {
    SCRATCH_F32X8(s);
    f32x8 r;
    __asm__("vpxor %1, %1, %1\n\tvpsubd %2, %1, %0" : "=x"(r), "=&x"(s) : "x"(a));
    return r;
}

/* 1 with the sign of a, but a itself where it is zero or NaN. */
TEXT f32x8 sign_f32x8(f32x8 a) {
    SCRATCH_F32X8(s);
    register f32x8 t __asm__("xmm14");
    f32x8 r;
    __asm__("vpsrld $31, %3, %1\n\tvpslld $31, %1, %1\n\t"
            "vpcmpeqd %2, %2, %2\n\tvpsrld $25, %2, %2\n\tvpslld $23, %2, %2\n\tvorps %1, %2, %1\n\t"
            "vxorps %2, %2, %2\n\tvcmpneq_oqps %3, %2, %2\n\tvblendvps %2, %1, %3, %0"
            : "=x"(r), "=&x"(s), "=&x"(t)
            : "x"(a));
    return r;
}

TEXT f32x8 sign_i32x8(f32x8 a) {
    SCRATCH_F32X8(s);
    f32x8 r;
    __asm__("vpcmpeqd %1, %1, %1\n\tvpsrld $31, %1, %1\n\tvpsignd %2, %1, %0" : "=x"(r), "=&x"(s) : "x"(a));
    return r;
}

TEXT f32x8 not_boolx8(f32x8 a) {
    SCRATCH_F32X8(s);
    f32x8 r;
    __asm__("vpcmpeqd %1, %1, %1\n\tvpaddd %1, %2, %0\n\tvpsrld $31, %0, %0" : "=x"(r), "=&x"(s) : "x"(a));
    return r;
}

TEXT f32x8 select_x8(f32x8 cond, f32x8 a, f32x8 b) {
    SCRATCH_F32X8(s);
    f32x8 r;
    __asm__("vpslld $31, %2, %1\n\tvblendvps %1, %3, %4, %0" : "=x"(r), "=&x"(s) : "x"(cond), "x"(a), "x"(b));
    return r;
}

/* As the four lanes in vector.c. */
TEXT f32x8 to_i32_f32x8(f32x8 a) {
    SCRATCH_F32X8(s);
    register f32x8 r __asm__("xmm14");
    __asm__("vcvttps2dq %2, %0\n\tvandnps %0, %2, %1\n\tvpsrad $31, %1, %1\n\tvpxor %1, %0, %0\n\t"
            "vcmpordps %2, %2, %1\n\tvandps %1, %0, %0"
            : "=&x"(r), "=&x"(s)
            : "x"(a));
    return r;
}

LANEWISE_F32X8(sqrt_f32x8, "vsqrtps %1, %0")
LANEWISE_F32X8(floor_f32x8, "vroundps " ROUND_DOWN ", %1, %0")
LANEWISE_F32X8(ceil_f32x8, "vroundps " ROUND_UP ", %1, %0")
LANEWISE_F32X8(trunc_f32x8, "vroundps " ROUND_TO_ZERO ", %1, %0")
LANEWISE_F32X8(round_f32x8, "vroundps " ROUND_TO_NEAREST ", %1, %0")

#endif
