/* expf, exp2f, expm1f, sinhf, coshf, tanhf, correctly rounded for all 2^32 inputs.
 * Integers only. No loop, no slow path, no exception list.
 * Method: x*32*log2(e) as 13-bit integer and 64-bit fraction (three products), 2^(j/32) from 32 64-bit entries,
 *   degree 6 polynomial on the upper 32 bits of the fraction, first-order correction for the lower 32 bits.
 *   Negative arguments use the one's complement of the fraction (2^-69 relative): this also makes the only tie,
 *   exp2(-150), fall to zero.  expm1: |x| < 2^-5 by x*q(x) of degree 7, else difference; sinh: |x| < 1/4 by x*S(x^2),
 *   else two kernels; cosh two kernels; tanh = E/(E+2), E = expm1(2|x|).
 * Kernel error, largest of 10^6 random arguments: exp core 2^-57.3; expm1 2^-54.3, in [2^-5,2^-3) 2^-52.7 (relative).
 * Exceptions: none (proof/integer.log). Tables: exp core 256 bytes + constants, tanh also 32 (division).
 * Instructions, average / worst seen: exp M4F 93/99, M3 92/98, M0 553/563, rv32imac 144/151; exp2 89/93, 88/92, 460/467;
 *   expm1 142/147, 139/144, 644/666; sinh 193/196, 191/194, 1048/1083; cosh 193/193, 191/191, 1065/1080;
 *   tanh 192/197, 189/193, 992/1013 (M4F, M3, M0). */
//@ kernel exp exp2 expm1 sinh cosh tanh f32 F=F
#ifndef CF_INTEGER_EXP_H
#define CF_INTEGER_EXP_H

#include "fixed.h"
#include "divide.h"

/* proof/derive/integer_exp.py */
static const uint64_t cfi_ec[3] = {
    0x058b90bfbe8e7bc9ull, 0x000f5fdeffc163eaull, 0x00001c6b08d6f767ull,
};
#define CFI_E4 2643811423u
#define CFI_E5 2931969150u
#define CFI_E6 10683991u
static const uint64_t cfi_et[32] = {
    0x8000000000000000ull, 0x82cd8698ac2ba1d7ull, 0x85aac367cc487b15ull, 0x88980e8092da8527ull,
    0x8b95c1e3ea8bd6e7ull, 0x8ea4398b45cd53c0ull, 0x91c3d373ab11c336ull, 0x94f4efa8fef70961ull,
    0x9837f0518db8a96full, 0x9b8d39b9d54e5539ull, 0x9ef5326091a111aeull, 0xa27043030c496819ull,
    0xa5fed6a9b15138eaull, 0xa9a15ab4ea7c0ef8ull, 0xad583eea42a14ac6ull, 0xb123f581d2ac2590ull,
    0xb504f333f9de6484ull, 0xb8fbaf4762fb9ee9ull, 0xbd08a39f580c36bfull, 0xc12c4cca66709456ull,
    0xc5672a115506daddull, 0xc9b9bd866e2f27a3ull, 0xce248c151f8480e4ull, 0xd2a81d91f12ae45aull,
    0xd744fccad69d6af4ull, 0xdbfbb797daf23755ull, 0xe0ccdeec2a94e111ull, 0xe5b906e77c8348a8ull,
    0xeac0c6e7dd24392full, 0xefe4b99bdcdaf5cbull, 0xf5257d152486cc2cull, 0xfa83b2db722a033aull,
};

/* log2(e)*2^-19 in Q96 */
#define CFI_XE2 0x2e2au
#define CFI_XE1 0x8eca5705u
#define CFI_XE0 0xfc2eefa2u
#define CFI_L32 0x058b90c0u /* ln2/32 in Q32 */
/* proof/derive/integer_hyp.py */
static const uint64_t cfi_mc[5] = {
    0x3f02a55dd28a1badull, 0x01f57511823cd921ull, 0x000a6b75b362f647ull, 0x0000299d1fc02770ull,
    0x0000008506640adfull,
};
#define CFI_M5 371688294u
#define CFI_M6 3315588u
#define CFI_M7 26631u
static const uint64_t cfi_sc[3] = {
    0x4000000000000000ull, 0x00aaaaaaaaaaaaacull, 0x0000888888888876ull,
};
#define CFI_S3 3490513105u
#define CFI_S4 387834491u
#define CFI_S5 220626u

/* 2^((j+g)/32), j 0..31, g in [0,1) as Q64 -> Q63 in [1,2), relative error about 2^-59 */
CF_INLINE uint64_t cfi_exp2core(uint32_t j, uint64_t g) {
    uint32_t gh = (uint32_t)(g >> 32), gl = (uint32_t)g;
    uint32_t a = CFI_E4 + (cfi_mulh(CFI_E5 + cfi_mulh(CFI_E6, gh), gh) >> 8);
    uint64_t p = cfi_ec[2] + (cfi_mul(a, gh) >> 26);
    p = cfi_mad32(cfi_ec[1], p, gh);
    p = cfi_mad32(cfi_ec[0], p, gh);
    p = cfi_mad32(0, p, gh);
    uint64_t T = cfi_et[j];
    T = cfi_mad(T, T, p);
    return T + cfi_mulh((uint32_t)(T >> 32), cfi_mulh(CFI_L32, gl));
}

/* R*2^-63*2^k -> float bits with overflow and subnormals */
CF_INLINE uint32_t cfi_epack(uint64_t R, int32_t k) {
    if (k >= -126) {
        if (k > 127) return CF_INF;
        return cfi_pack(R, k);
    }
    uint32_t s = (uint32_t)(-86 - k);             /* 41.. : bits dropped */
    if (s > 64u) return 0;                        /* below half of the least subnormal */
    uint32_t h = (uint32_t)(R >> 32) >> (s - 33u);/* s-1 >= 40 */
    return (h + 1u) >> 1;
}

typedef struct { uint32_t K, g1, g0; } cfi_kg;
/* |x|*32*log2(e) = K : g1 : g0 (integer and 64-bit fraction), 2^-26 <= |x| < 128 */
CF_INLINE cfi_kg cfi_expred(uint32_t u) {
    cfi_kg r;
    uint32_t ex = (u >> 23) & 255u, m = (u & 0x7fffffu) | 0x800000u, sh = 0;
    if (ex >= 126u) m <<= ex - 126u; else sh = 126u - ex;
    uint64_t p1 = cfi_mul(m, CFI_XE1) + cfi_mulh(m, CFI_XE0);
    uint64_t p2 = cfi_mul(m, CFI_XE2) + (uint32_t)(p1 >> 32);
    r.K = (uint32_t)(p2 >> 32); r.g1 = (uint32_t)p2; r.g0 = (uint32_t)p1;
    if (sh) {
        uint32_t b = 32u - sh;                    /* 1 <= sh <= 25 */
        r.g0 = (r.g0 >> sh) | (r.g1 << b); r.g1 = (r.g1 >> sh) | (r.K << b); r.K >>= sh;
    }
    return r;
}

CFI_SHARED uint32_t cfi_expb(uint32_t u) {
    uint32_t ax = u & 0x7fffffffu;
    if (ax - 0x32800000u >= 0x42d00000u - 0x32800000u) {
        if (ax > CF_INF) return CF_NAN;
        if (ax < 0x32800000u) return 0x3f800000u; /* |x| < 2^-26 */
        return u >> 31 ? 0 : CF_INF;             /* |x| >= 104 */
    }
    cfi_kg r = cfi_expred(u);
    uint32_t sg = (uint32_t)((int32_t)u >> 31);   /* -x: one's complement, 2^-64/32 off */
    r.K ^= sg; r.g1 ^= sg; r.g0 ^= sg;
    return cfi_epack(cfi_exp2core(r.K & 31u, ((uint64_t)r.g1 << 32) | r.g0), (int32_t)r.K >> 5);
}

CF_INLINE float cf_exp(float x) { return cf_f32(cfi_expb(cf_bits32(x))); }

CFI_SHARED uint32_t cfi_exp2b(uint32_t u) {
    uint32_t ax = u & 0x7fffffffu, ex = ax >> 23;
    if (ax >= 0x43180000u) {                      /* |x| >= 152 or nan */
        if (ax > CF_INF) return CF_NAN;
        return u >> 31 ? 0 : CF_INF;
    }
    if (ex < 101u) return 0x3f800000u;            /* |x| < 2^-26 */
    uint32_t m = (u & 0x7fffffu) | 0x800000u, sg = (uint32_t)((int32_t)u >> 31), K, g1, g0 = 0;
    if (ex >= 126u) { m <<= ex - 126u; K = m >> 19; g1 = m << 13; }
    else {
        uint32_t sh = 126u - ex, b = 32u - sh;    /* 1..25 */
        K = m >> 19; g1 = m << 13;
        g0 = g1 << b; g1 = (g1 >> sh) | (K << b); K >>= sh;
    }
    /* one's complement: 2^-64/32 low, so that the tie 2^-150 falls to zero and exact powers round back up */
    K ^= sg; g1 ^= sg; g0 ^= sg;
    return cfi_epack(cfi_exp2core(K & 31u, ((uint64_t)g1 << 32) | g0), (int32_t)K >> 5);
}

CF_INLINE float cf_exp2(float x) { return cf_f32(cfi_exp2b(cf_bits32(x))); }

CFI_SHARED uint64_t cfi_e2c(uint32_t j, uint64_t g) { return cfi_exp2core(j, g); }
/* |e^x - 1| as P*2^-63*2^e (P >= 2^32, not normalised), 2^-26 <= |x| < 104 */
typedef struct { uint64_t P; int32_t e; } cfi_fx;   /* P*2^-63*2^e */
CFI_SHARED cfi_fx cfi_em1(uint32_t u) {
    cfi_fx f;
    uint32_t ex = (u >> 23) & 255u, sg = (uint32_t)((int32_t)u >> 31);
    if (ex < 122u) {                              /* |x| < 2^-5: x * q(x) */
        uint64_t X = (uint64_t)((u & 0x7fffffu) | 0x800000u) << 40, s64 = ((uint64_t)sg << 32) | sg;
        uint64_t g = (1ull << 63) + ((X >> (122u - ex)) ^ s64);   /* 16x + 1/2 */
        uint32_t h = (uint32_t)(g >> 32);
        uint32_t a = CFI_M5 + cfi_mulh(CFI_M6 + cfi_mulh(CFI_M7, h), h);
        uint64_t y = cfi_mc[4] + (cfi_mul(a, h) >> 28);
        y = cfi_mad(cfi_mc[3], y, g);
        y = cfi_mad(cfi_mc[2], y, g);
        y = cfi_mad(cfi_mc[1], y, g);
        y = cfi_mad(cfi_mc[0], y, g);             /* Q62 */
        f.P = cfi_mad(0, X, y);                   /* X*2^-63 * y*2^-62 = P*2^-61 */
        f.e = (int32_t)ex - 127 + 2;
        return f;
    }
    cfi_kg r = cfi_expred(u);
    r.K ^= sg; r.g1 ^= sg; r.g0 ^= sg;
    uint64_t R = cfi_e2c(r.K & 31u, ((uint64_t)r.g1 << 32) | r.g0);
    int32_t k = (int32_t)r.K >> 5;
    if (sg) { k = -k; f.P = (1ull << 63) - (k < 64 ? R >> k : 0); f.e = 0; }
    else { f.P = R - (k < 64 ? (1ull << 63) >> k : 0); f.e = k; }
    return f;
}

CFI_SHARED uint32_t cfi_expm1b(uint32_t u) {
    uint32_t ax = u & 0x7fffffffu;
    if (ax - 0x32800000u >= 0x42d00000u - 0x32800000u) {
        if (ax > CF_INF) return CF_NAN;
        if (ax < 0x32800000u) return u;
        return u >> 31 ? 0xbf800000u : CF_INF;
    }
    if (u >= 0xc18c0000u) return 0xbf800000u;     /* x <= -17.5 */
    cfi_fx f = cfi_em1(u);
    uint32_t n = cfi_clz((uint32_t)(f.P >> 32));
    f.e -= (int32_t)n;
    if (f.e > 127) return CF_INF;
    return cfi_pack(f.P << n, f.e) | (u & 0x80000000u);
}

CFI_SHARED uint32_t cfi_tanhb(uint32_t u) {
    uint32_t ax = u & 0x7fffffffu, sg = u & 0x80000000u;
    if (ax - 0x39800000u >= 0x41110000u - 0x39800000u) {
        if (ax > CF_INF) return CF_NAN;
        return ax < 0x39800000u ? u : sg | 0x3f800000u;   /* < 2^-12, >= 9.0625 */
    }
    cfi_fx f = cfi_em1(ax + 0x800000u);           /* e^(2x) - 1 */
    uint32_t n = cfi_clz((uint32_t)(f.P >> 32));
    uint64_t N = f.P << n, D;
    int32_t e = f.e - (int32_t)n, d;
    /* D = N*2^e + 2, as D*2^-63*2^d */
    if (e >= 1) { D = (N >> 1) + ((1ull << 63) >> e); d = e + 1; }
    else { D = (1ull << 63) + (e > -63 ? N >> (1 - e) : 0); d = 1; }
    if (e >= 1 && !(D >> 63)) { D <<= 1; d--; }
    uint64_t Q = cfi_div(N, D);
    e -= d;
    if (!(Q >> 63)) { Q <<= 1; e--; }
    return cfi_pack(Q, e) | sg;
}

CFI_SHARED uint32_t cfi_sinhb(uint32_t u, uint32_t cosine) {
    uint32_t ax = u & 0x7fffffffu, ex = ax >> 23, sg = cosine ? 0 : u & 0x80000000u;
    if (ax - 0x39800000u >= 0x42b40000u - 0x39800000u) {
        if (ax > CF_INF) return CF_NAN;
        if (ax < 0x39800000u) return cosine ? 0x3f800000u : u;   /* < 2^-12 */
        return sg | CF_INF;                      /* >= 90 */
    }
    if (!cosine && ex < 125u) {                   /* |x| < 1/4 : x*S(16x^2) */
        uint32_t m = (u & 0x7fffffu) | 0x800000u;
        uint64_t z = cfi_mul(m, m) << 16 >> (2u * (124u - ex));
        uint32_t h = (uint32_t)(z >> 32);
        uint32_t a = CFI_S3 + (cfi_mulh(CFI_S4 + cfi_mulh(CFI_S5, h), h) >> 7);
        uint64_t y = cfi_sc[2] + (cfi_mul(a, h) >> 26);
        y = cfi_mad(cfi_sc[1], y, z);
        y = cfi_mad(cfi_sc[0], y, z);
        y = cfi_mad32(0, y, m << 8);              /* m*2^-23 * y*2^-62 = P*2^-61 */
        return cfi_fpack(y, (int32_t)ex - 127 + 2) | sg;
    }
    cfi_kg r = cfi_expred(ax);
    uint64_t A = cfi_e2c(r.K & 31u, ((uint64_t)r.g1 << 32) | r.g0), B;
    int32_t k = (int32_t)r.K >> 5;
    r.K = ~r.K;
    B = cfi_e2c(r.K & 31u, ((uint64_t)~r.g1 << 32) | (uint32_t)~r.g0);
    uint32_t s = (uint32_t)(k - ((int32_t)r.K >> 5)) + 1u;
    A >>= 1;
    B = s < 64u ? B >> s : 0;
    A = cosine ? A + B : A - B;                   /* times 2^k */
    uint32_t n = cfi_clz((uint32_t)(A >> 32));
    k -= (int32_t)n;
    if (k > 127) return sg | CF_INF;
    return cfi_pack(A << n, k) | sg;
}

CF_INLINE float cf_expm1(float x) { return cf_f32(cfi_expm1b(cf_bits32(x))); }
CF_INLINE float cf_tanh(float x) { return cf_f32(cfi_tanhb(cf_bits32(x))); }
CF_INLINE float cf_sinh(float x) { return cf_f32(cfi_sinhb(cf_bits32(x), 0)); }
CF_INLINE float cf_cosh(float x) { return cf_f32(cfi_sinhb(cf_bits32(x), 1)); }

#endif
