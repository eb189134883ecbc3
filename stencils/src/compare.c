/* Comparisons give 1 or 0 in an integer register; select takes one. */
//@ lt le f32 I=FF memory // softfloat f32-{op}: SERVICE2(D, A, B, OFF)
//@ gt f32 I=FF memory // softfloat f32-lt: SERVICE2(D, B, A, OFF)
//@ ge f32 I=FF memory // softfloat f32-le: SERVICE2(D, B, A, OFF)
//@ eq f32 I=FF memory // softfloat f32-eq: SERVICE2(D, A, B, OFF)
//@ ne f32 I=FF memory // softfloat f32-eq: SERVICE_NE(D, A, B, OFF)
//@ isnan isfinite f32 I=F // softfloat: D = soft_{op}(A)
//@ lt le gt ge i32 I=II memory
//@ eq ne i32 bool I=II memory
//@ ltby i32 I=I compared jumps needs shifts: TRUTH_BY("lt", "ge", LESS_BY, D, A, OFF)
//@ geby i32 I=I compared jumps needs shifts: TRUTH_BY("ge", "lt", NO_LESS_BY, D, A, OFF)
//@ eqby i32 I=I compared jumps needs shifts: TRUTH_BY("eq", "ne", EQUAL_BY, D, A, OFF)
//@ neby i32 I=I compared jumps needs shifts: TRUTH_BY("ne", "eq", UNEQUAL_BY, D, A, OFF)
//@ flaglt f32 I=FF needs flags: FLAGLT(D, A, B)
//@ flagle f32 I=FF needs flags: FLAGLE(D, A, B)
//@ flageq f32 I=FF needs flags: FLAGEQ(D, A, B)
//@ ifflag f32 F=IFF needs flags: D = pick_f32(A >> 31, B, C)
//@ ifflag i32 bool I=III needs flags: D = pick(A >> 31, B, C)
//@ below f32 F=F needs pointers: D = from_bits(below(bits(A))) // softfloat: D = below(A)
//@ select f32 F=IFF jumps: SELECT_F32(D, A, B, C) // softfloat: SELECT_I32(D, A, B, C)
//@ select i32 bool I=III jumps: SELECT_I32(D, A, B, C)
//@ ltm lem eqm nem f32 F=FF tied needs sse2
//@ selm f32 F=FFF needs sse2: SELECT_BY_MASK(f32, D, A, B, C)
//@ keepm dropm f32 F=FF tied needs sse2
//@ test f32 =FF needs tests: TEST_F32(A, B) // softfloat: TEST_SOFT(A, B)
//@ test i32 =II memory needs tests: TEST_I32(A, B)
//@ testby i32 =I compared needs tests: TEST_BY(A, OFF)
//@ pickgt f32 F=FF jumps needs tests: PICK_F32("gt", "le", D, A, B) // softfloat: PICK_I32("gt", "le", D, A, B)
//@ pickge f32 F=FF jumps needs tests: PICK_F32("ge", "lt", D, A, B) // softfloat: PICK_I32("ge", "lt", D, A, B)
//@ pickeq f32 F=FF jumps needs tests: PICK_F32("eq", "ne", D, A, B) // softfloat: PICK_I32("eq", "ne", D, A, B)
//@ pickgt i32 bool I=II jumps needs tests: PICK_I32("gt", "le", D, A, B)
//@ pickge i32 bool I=II jumps needs tests: PICK_I32("ge", "lt", D, A, B)
//@ pickeq i32 bool I=II jumps needs tests: PICK_I32("eq", "ne", D, A, B)
//@ put i32 I= compared needs puts: PUT(D, OFF)
//@ putgt i32 bool I=I compared jumps needs puts: PUT_IF("gt", "le", D, A, OFF)
//@ putge i32 bool I=I compared jumps needs puts: PUT_IF("ge", "lt", D, A, OFF)
//@ puteq i32 bool I=I compared jumps needs puts: PUT_IF("eq", "ne", D, A, OFF)
//@ putle i32 bool I=I compared jumps needs puts: PUT_IF("le", "gt", D, A, OFF)
//@ putlt i32 bool I=I compared jumps needs puts: PUT_IF("lt", "ge", D, A, OFF)
//@ putne i32 bool I=I compared jumps needs puts: PUT_IF("ne", "eq", D, A, OFF)
//@ keepflags = needs keepers: KEEP_FLAGS
//@ backflags = needs keepers: BACK_FLAGS
//@ skipgt skipge skipeq skiple skiplt skipne i32 = ahead needs skips: {op}()
//@ skip i32 = ahead needs skips branches: skip()
//@ skipzero skipany i32 =I ahead needs branches: {op}(A)
//@ skipless skipnoless skipequal skipother i32 =II ahead needs branches: {op}(A, B)
#include "pick.h"
#include "stencil.h"

TEXT u32 lt_f32(f32 a, f32 b) { return truth(a < b); }
TEXT u32 le_f32(f32 a, f32 b) { return truth(a <= b); }
TEXT u32 gt_f32(f32 a, f32 b) { return truth(a > b); }
TEXT u32 ge_f32(f32 a, f32 b) { return truth(a >= b); }
TEXT u32 eq_f32(f32 a, f32 b) { return truth(a == b); }
TEXT u32 ne_f32(f32 a, f32 b) { return truth(a != b); }

/* Shifted, the bits of infinity are a number that fits every instruction set. */
TEXT u32 isnan_f32(f32 a) { return truth(bits(a) << 1 > INFINITY_BITS << 1); }
TEXT u32 isfinite_f32(f32 a) { return truth(bits(a) << 1 < INFINITY_BITS << 1); }

/* The bits of the largest float below another: NaN below -infinity, infinity below a NaN. */
TEXT u32 below(u32 a) {
#if defined(__ARM_ARCH_6M__) /* without constants in memory */
    register u32 r __asm__("r12");
    __asm__("mov r0, %1\n\tlsrs r3, r0, #31\n\tlsls r3, r3, #1\n\tsubs r3, #1\n\tadds r3, r3, r0\n\tcmp r0, #0\n\tbne.n 4f\n\t"
            "movs r3, #1\n\tlsls r3, r3, #31\n\tadds r3, #1\n"
            "4:\tmov %0, r3\n\tlsls r0, r0, #1\n\tmovs r3, #255\n\tlsls r3, r3, #24\n\tcmp r0, r3\n\tbls.n 5f\n\tlsrs r3, r3, #1\n\t"
            "mov %0, r3\n5:"
            : "=&r"(r)
            : "r"(a)
            : "r0", "r3", "cc");
    return r;
#elif defined(__arm__)
    register u32 r __asm__("r3");
    __asm__("asrs r3, %1, #31\n\torr" WIDE " r3, r3, #1\n\tsubs r3, %1, r3\n\t"
            "cmp %1, #0\n\titt eq\n\tmoveq" WIDE " r3, #0x80000000\n\torreq" WIDE " r3, r3, #1\n\t"
            "lsl" WIDE " r12, %1, #1\n\tcmp" WIDE " r12, #0xff000000\n\tit hi\n\tmovhi" WIDE " r3, #0x7f800000"
            : "=&r"(r)
            : "r"(a)
            : "r12", "cc");
    return r;
#else
    /* Masks that GCC cannot see through: it would branch. */
    u32 zero = 0u - (u32)(a == 0), nan = 0u - (u32)(a << 1 > INFINITY_BITS << 1);
    __asm__("" : "+r"(zero), "+r"(nan));
    u32 r = (a - (1u | (u32)((i32)a >> 31))) ^ (zero & (MAGNITUDE - 1u));
    return (r & ~nan) | (nan & INFINITY_BITS);
#endif
}

TEXT u32 lt_i32(u32 a, u32 b) { return truth((i32)a < (i32)b); }
TEXT u32 gt_i32(u32 a, u32 b) { return truth((i32)a > (i32)b); }
#if defined(__ARM_ARCH_6M__) /* GCC's takes more registers */
TEXT u32 le_i32(u32 a, u32 b) {
    register u32 r __asm__("r3");
    __asm__("movs %0, #1\n\tcmp %1, %2\n\tble.n 4f\n\tmovs %0, #0\n4:" : "=&l"(r) : "r"(a), "r"(b) : "cc");
    return r;
}
TEXT u32 ge_i32(u32 a, u32 b) { return le_i32(b, a); }
#else
TEXT u32 le_i32(u32 a, u32 b) { return truth((i32)a <= (i32)b); }
TEXT u32 ge_i32(u32 a, u32 b) { return truth((i32)a >= (i32)b); }
#endif
TEXT u32 eq_i32(u32 a, u32 b) { return truth(a == b); }
TEXT u32 ne_i32(u32 a, u32 b) { return truth(a != b); }

#if !defined(SELECT_WITH_BRANCH)
/* Where the conditional move overwrites an operand, a copy keeps the code the same
 * whichever operands share a register. */
TEXT u32 select_i32(u32 cond, u32 a, u32 b) {
    u32 r = a;
#if defined(X86)
    __asm__("" : "+r"(r));
#endif
    return pick(cond, r, b);
}
#endif

#if defined(X86)
/* A conditional move between general registers; GCC would branch. */
TEXT f32 select_f32(u32 cond, f32 a, f32 b) {
    u32 r;
    __asm__("movd %2, %0\n\tmovd %3, %%" SCRATCH_GPR "\n\ttestl %1, %1\n\tcmovzl %%" SCRATCH_GPR ", %0"
            : "=&a"(r)
            : "r"(cond), "x"(a), "x"(b)
            : SCRATCH_GPR, "cc");
    return from_bits(r);
}

/* Masks, all ones or zeros, and what they choose: the second operand or nothing, where they are set or where not. */
#define MASK_F32(name, insn)                                \
    TEXT f32 name(f32 a, f32 b) {                           \
        __asm__(insn " %1, %0" : "+x"(a) : "x"(b));         \
        return a;                                           \
    }
MASK_F32(ltm_f32, "cmpltss")
MASK_F32(lem_f32, "cmpless")
MASK_F32(eqm_f32, "cmpeqss")
MASK_F32(nem_f32, "cmpneqss")
MASK_F32(keepm_f32, "andps")
MASK_F32(dropm_f32, "andnps")

/* Where the mask is set, the bits in which both differ change b to a. A macro, as SELECT_X4. */
#define SELECT_BY_MASK(type, d, mask, a, b)                                              \
    do {                                                                                 \
        register type s __asm__(SCRATCH_XMM);                                            \
        __asm__("movaps %3, %1\n\txorps %4, %1\n\tandps %2, %1\n\txorps %4, %1\n\t"    \
                "movaps %1, %0"                                                          \
                : "=x"(d), "=&x"(s)                                                      \
                : "x"(mask), "x"(a), "x"(b));                                            \
    } while (0)
#elif !defined(SELECT_WITH_BRANCH)
TEXT f32 select_f32(u32 cond, f32 a, f32 b) { return pick_f32(cond, a, b); }
#endif
