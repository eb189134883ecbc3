/* Vectors of floats for the kernels of this folder: eight lanes by AVX2. Double arithmetic takes
 * half of them at a time. What a kernel does is written once, for a half.
 *
 * Where a kernel of this folder does in each lane what the scalar one does, operation by operation, it has
 * its bits, exceptional inputs included. Any other way gives them too if it rounds correctly. */
#ifndef CF_LANES_KERNEL_H
#define CF_LANES_KERNEL_H

#include <stdint.h>

#include "../f32/bits.h"

typedef float cf_f32s __attribute__((vector_size(32)));
typedef uint32_t cf_u32s __attribute__((vector_size(32)));
typedef int32_t cf_i32s __attribute__((vector_size(32)));
typedef float cf_f32h __attribute__((vector_size(16)));  /* half of the lanes */
typedef uint32_t cf_u32h __attribute__((vector_size(16)));
typedef int32_t cf_i32h __attribute__((vector_size(16)));
typedef double cf_f64h __attribute__((vector_size(32))); /* the same as doubles */
typedef uint64_t cf_u64h __attribute__((vector_size(32)));
typedef long long cf_index __attribute__((vector_size(32)));

CF_INLINE cf_f32h cf_low(cf_f32s x) { return (cf_f32h)__builtin_ia32_vextractf128_ps256(x, 0); }
CF_INLINE cf_f32h cf_high(cf_f32s x) { return (cf_f32h)__builtin_ia32_vextractf128_ps256(x, 1); }
CF_INLINE cf_f32s cf_join(cf_f32h low, cf_f32h high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
CF_INLINE cf_f64h cf_doubles(cf_f32h x) { return __builtin_ia32_cvtps2pd256(x); }
CF_INLINE cf_f32h cf_floats(cf_f64h x) { return __builtin_ia32_cvtpd2ps256(x); }

/* Smallest and largest: a NaN in x gives the limit. */
CF_INLINE cf_f64h cf_at_least(cf_f64h x, double limit) { return __builtin_ia32_maxpd256(x, (cf_f64h){} + limit); }
CF_INLINE cf_f64h cf_at_most(cf_f64h x, double limit) { return __builtin_ia32_minpd256(x, (cf_f64h){} + limit); }

/* mask ? a : b, by lanes; a mask is all ones or zero. */
CF_INLINE cf_u32s cf_choose(cf_u32s mask, cf_u32s a, cf_u32s b) { return (a & mask) | (b & ~mask); }
CF_INLINE cf_f64h cf_choose64(cf_u64h mask, cf_f64h a, cf_f64h b) {
    return (cf_f64h)(((cf_u64h)a & mask) | ((cf_u64h)b & ~mask));
}

CF_INLINE cf_u32s cf_not(cf_u32s mask) { return ~mask; }
CF_INLINE cf_f32s cf_magnitude(cf_f32s x) { return (cf_f32s)((cf_u32s)x & CF_ABS); }

/* |y| with the sign of x. */
CF_INLINE cf_f32s cf_with_sign(cf_f32s x, cf_f32s y) {
    return (cf_f32s)(((cf_u32s)y & CF_ABS) | ((cf_u32s)x & CF_SIGN));
}

/* -1 where the input is the given exceptional one, else 0: see cf_is. */
CF_INLINE cf_u32s cf_is_lanes(cf_u32s bits, uint32_t exceptional) { return (cf_u32s)(bits == exceptional); }

/* All ones where bit 0 is set. */
CF_INLINE cf_u64h cf_odd(cf_u64h q) { return -(q & 1u); }

/* Where bit 0 of q is set b, elsewhere a. */
CF_INLINE cf_f64h cf_one_of(double a, double b, cf_u64h q) {
    return __builtin_ia32_vpermilvarpd256((cf_f64h){a, b, a, b}, (cf_index)(q << 1));
}

/* Whether a mask has any bit set. */
CF_INLINE int cf_any(cf_i32s mask) { return !__builtin_ia32_ptestz256((cf_index)mask, (cf_index)mask); }

/* Words of half of the lanes: signed ones as 64 bits and as doubles; and the low words of 64 bits. */
CF_INLINE cf_u64h cf_extended(cf_u32h x) { return (cf_u64h)__builtin_ia32_pmovsxdq256((cf_i32h)x); }
CF_INLINE cf_f64h cf_from_ints(cf_u32h x) { return __builtin_ia32_cvtdq2pd256((cf_i32h)x); }
CF_INLINE cf_u32s cf_low_words(cf_u64h a, cf_u64h b) {
    return __builtin_shufflevector((cf_u32s)a, (cf_u32s)b, 0, 2, 4, 6, 8, 10, 12, 14);
}
CF_INLINE cf_u32h cf_first_words(cf_u64h a) { return (cf_u32h)cf_low((cf_f32s)cf_low_words(a, a)); }

/* Products of 32 bits by 32, in 64. */
CF_INLINE cf_u64h cf_product(cf_u32h a, cf_u32h b) {
    return (cf_u64h)__builtin_ia32_pmuludq256((cf_i32s)__builtin_ia32_pmovzxdq256((cf_i32h)a),
                                              (cf_i32s)__builtin_ia32_pmovzxdq256((cf_i32h)b));
}

/* Words i of a table. */
CF_INLINE cf_u32h cf_words(const uint32_t *table, cf_u32h i) {
    return (cf_u32h)__builtin_ia32_gathersiv4si((cf_i32h){}, (const int *)table, (cf_i32h)i, (cf_i32h){} - 1, 4);
}

/* A column of rows i of a table of two doubles a row. */
CF_INLINE cf_f64h cf_gather(const double table[][2], int column, cf_u64h i) {
    return (cf_f64h)__builtin_ia32_gatherdiv4df((cf_f64h){}, table[0] + column, (cf_index)(i + i),
                                                (cf_f64h)((cf_u64h){} - 1u), 8);
}

/* f of both halves of x, in double arithmetic. */
#define CF_BY_HALVES(f, x) cf_join(cf_floats(f(cf_doubles(cf_low(x)))), cf_floats(f(cf_doubles(cf_high(x)))))

/* y, or NaN where x is one. */
CF_INLINE cf_f32s cf_but_nan(cf_f32s x, cf_f32s y) {
    return (cf_f32s)cf_choose((cf_u32s)(x != x), (cf_u32s){} + CF_NAN, (cf_u32s)y);
}

#endif
