/* logf, log2f, log10f, log1pf, correctly rounded for all 2^32 inputs.
 * Integers only. No loop, no slow path.
 * Method: x = 2^k m, 33 nodes c of 14 bits so that G = 2^37 (m c - 1) is one exact 32-bit product, |r| <= 2^-6,
 *   ln(1+r)/r of degree 8 (upper four terms in 32 bits), sum k ln2 - ln c + ln(1+r) in 96 bits; around 1 the
 *   product r*q(r) is normalised.  log2, log10: the same sum times 1/ln2, 1/ln10.  log1p: |x| < 2^-6 by x*q(x),
 *   else 1+x to 64 bits, the part of r below 2^-37 by its first derivative.
 * Kernel error ln(1+r)/r, largest of 10^6 random arguments: 2^-56.4 (relative).
 * Exceptions: log1p(0x1.800006p-21), 2^-66 from a midpoint, by one compare; others none (proof/integer.log). Tables: 330 bytes.
 * Instructions, average / worst seen: log M4F 119/130, M3 118/129, M0 715/754, rv32imac 204/206; log2 143/173, 145/175, 747/819;
 *   log10 147/177, 148/177, 852/926; log1p 185/191, 183/189, 945/953 (M4F, M3, M0). */
//@ kernel log log2 log10 log1p f32 F=F
#ifndef CF_INTEGER_LOG_H
#define CF_INTEGER_LOG_H

#include "fixed.h"
#include "tables.h"

/* proof/derive/integer_log.py */
static const int64_t cfi_lc[4] = {
    4611686018427387904ll, -72057594037927934ll, 1501199875790165ll, -35184372088928ll,
};
#define CFI_L4 (1717986918)
#define CFI_L5 (-1431655679)
#define CFI_L6 (38347920)
#define CFI_L7 (-1049037)
#define CFI_L8 (29140)
static const cfi_half cfi_lr[33] = {
    16384, 15888, 15420, 14980, 14564, 14170, 13797, 13443, 13107, 12788, 12483, 12193, 11916, 11651, 11398, 11155,
    10923, 10700, 10486, 10280, 10082, 9892, 9709, 9533, 9362, 9198, 9039, 8886, 8738, 8595, 8456, 8322, 8192,
};

static const uint64_t cfi_lt[33] = {
    0x0000000000000000ull, 0x07dea6c59e0a156dull, 0x0f86186088b1a886ull, 0x16ef528c056a2b9dull,
    0x1e2507702af03b43ull, 0x252a65f047ea4543ull, 0x2bfea0e15727a8e6ull, 0x32a6153adaae46c3ull,
    0x3920ef8fb53498aeull, 0x3f6fb0dddc771fcfull, 0x459db2aeb6983964ull, 0x4ba22aec7673e49cull,
    0x51842f0a71785f4eull, 0xa5d3ff05f057766cull, 0xab72c7e63d6b6b7cull, 0xb0f716234539f5abull,
    0xb65877bd2c8f0b78ull, 0xbba045f8806cf088ull, 0xc0cc4727b897ed06ull, 0xc5e0901bb5435ea5ull,
    0xcadb258b6a553936ull, 0xcfb9fd367cb99c8aull, 0xd481bf295f849d5eull, 0xd930a6a586d30341ull,
    0xddd2e2fdb039b2f2ull, 0xe259189c83b95f05ull, 0xe6cfe1a7eec1e8c3ull, 0xeb2eaea467831cfaull,
    0xef7b674ae1c64ecdull, 0xf3b4caf61226253bull, 0xf7e1513d0c608877ull, 0xfbf82a69e329ef83ull,
    0x0000000000000000ull,
};
#define CFI_LN2 0xb17217f7d1cf79acull /* Q64 */
#define CFI_LG2 0xb8aa3b295c17f0bcull /* Q63 */
#define CFI_LG10 0x6f2dec549b9438cbull /* Q64 */
#define CFI_LT2 0x4d104d427de7fbccull /* Q64 */
/* proof/derive/integer_hyp.py */
static const uint64_t cfi_pc[5] = {
    0x3f815161f807c79full, 0x00fac245e82f1127ull, 0x00052681ff821266ull, 0x00001e736271c3ebull,
    0x000000bffc5ab8aeull,
};
#define CFI_P5 1321915382u
#define CFI_P6 34880272u
#define CFI_P7 932476u
#define CFI_P8 29140u

/* Kernel: x = 2^k * m.  On return *P = r*(1 - r/2 + ...) = ln(1+r) as signed Q67 shifted left by n
 * (n = 0 unless near1 asks for full relative precision), returns table term T (signed Q64). */
CF_INLINE int64_t cfi_lker(int32_t G) { /* (ln(1+r)/r), r = G*2^-37, Q62 */
    int32_t a = CFI_L5 + (int32_t)(cfi_smul(CFI_L6 + (int32_t)(cfi_smul(CFI_L7 + (int32_t)(cfi_smul(CFI_L8, G) >> 32), G) >> 32), G) >> 32);
    a = CFI_L4 + ((int32_t)(cfi_smul(a, G) >> 32) >> 5);
    int64_t y = cfi_lc[3] + (cfi_smul(a, G) >> 23);
    y = cfi_smad32(cfi_lc[2], y, G);
    y = cfi_smad32(cfi_lc[1], y, G);
    return cfi_smad32(cfi_lc[0], y, G);
}

/* round sign : |hi:lo| (lo Q64) * 2^e */
CF_INLINE uint32_t cfi_lfin(int32_t hi, uint64_t lo, int32_t e) {
    uint32_t sg = (uint32_t)(hi >> 31), h = (uint32_t)hi ^ sg, l1 = (uint32_t)(lo >> 32) ^ sg, l0 = (uint32_t)lo ^ sg;
    if (h == 0) { h = l1; l1 = l0; l0 = 0; e -= 32; }
    uint32_t n = cfi_clz(h), rs = 31u - n;
    uint64_t P = ((uint64_t)((h << n) | ((l1 >> 1) >> rs)) << 32) | ((l1 << n) | ((l0 >> 1) >> rs));
    return cfi_pack(P, e + 31 - (int32_t)n) | (sg & 0x80000000u);
}

CFI_SHARED uint32_t cfi_logb(uint32_t u) {
    int32_t k = -127;
    if (u - 0x800000u >= 0x7f000000u) {            /* zero, subnormal, negative, inf, nan */
        if ((u & 0x7fffffffu) == 0) return 0xff800000u;
        if (u == CF_INF) return u;
        if (u >= CF_INF) return CF_NAN;
        uint32_t n = cfi_clz(u) - 8u;
        u <<= n; k -= (int32_t)n - 1; u &= 0x7fffffu; /* exponent field 0 below: k one higher */
    }
    uint32_t m = (u & 0x7fffffu) | 0x800000u;
    k += (int32_t)(u >> 23);
    uint32_t i = (m - 0x7e0000u) >> 18;
    int32_t G = (int32_t)(m * cfi_lr[i]);
    if (i >= 13u) k++;
    int64_t y = cfi_lker(G);
    uint64_t T = cfi_lt[i];
    if (k == 0 && T == 0) {
        if (G == 0) return 0;
        uint32_t n = cfi_clz((uint32_t)(G ^ (G >> 31))) - 1u;
        int64_t P = cfi_smad32(0, y, (int32_t)((uint32_t)G << n)); /* ln = P*2^-67-n */
        return cfi_lfin((int32_t)(P >> 32) >> 31, (uint64_t)P, -3 - (int32_t)n);
    }
    int64_t P = cfi_smad32(0, y, G) >> 3;
    int64_t S = (int64_t)T + P;                    /* Q64, |S| < 1/2 */
    int64_t t0 = (int64_t)k * (int64_t)(uint32_t)CFI_LN2;
    int64_t t1 = (int64_t)k * (int64_t)(CFI_LN2 >> 32) + (t0 >> 32);
    uint64_t lo = ((uint64_t)(uint32_t)t1 << 32) | (uint32_t)t0;
    uint64_t l2 = lo + (uint64_t)S;
    int32_t hi = (int32_t)(t1 >> 32) + (int32_t)(S >> 63) + (l2 < lo);
    return cfi_lfin(hi, l2, 0);
}

CF_INLINE float cf_log(float x) { return cf_f32(cfi_logb(cf_bits32(x))); }

/* log2 (ten = 0) and log10 (1): the ln kernel scaled by 1/ln2 or 1/ln10 */
CFI_SHARED uint32_t cfi_log2b(uint32_t u, uint32_t ten) {
    int32_t k = -127;
    if (u - 0x800000u >= 0x7f000000u) {
        if ((u & 0x7fffffffu) == 0) return 0xff800000u;
        if (u == CF_INF) return u;
        if (u >= CF_INF) return CF_NAN;
        uint32_t n = cfi_clz(u) - 8u;
        u <<= n; k -= (int32_t)n - 1; u &= 0x7fffffu;
    }
    uint32_t m = (u & 0x7fffffu) | 0x800000u;
    k += (int32_t)(u >> 23);
    uint32_t i = (m - 0x7e0000u) >> 18;
    int32_t G = (int32_t)(m * cfi_lr[i]);
    if (i >= 13u) k++;
    int64_t y = cfi_lker(G);
    uint64_t T = cfi_lt[i], c = ten ? CFI_LG10 : CFI_LG2;      /* Q64, Q63 */
    int64_t S;
    int32_t n = 0;
    if (T == 0) {
        if (G == 0) {
            if (k == 0) return 0;
            S = 0;
        } else {
            n = (int32_t)cfi_clz((uint32_t)(G ^ (G >> 31))) - 1;
            S = cfi_smad32(0, y, (int32_t)((uint32_t)G << n));   /* Q67+n */
            if (k) { S = S >> 3 >> n; n = 0; }                   /* Q64 */
        }
    } else S = (int64_t)T + (cfi_smad32(0, y, G) >> 3);
    uint32_t sg = (uint32_t)(S >> 63);
    uint64_t s64 = ((uint64_t)sg << 32) | sg;
    uint64_t L = cfi_mad(0, ((uint64_t)S ^ s64) - s64, c);       /* |S| c: Q64 (ten) or Q63 */
    if (k == 0) {
        uint32_t h = (uint32_t)(L >> 32);
        uint32_t z = cfi_clz(h);                                 /* h != 0 : |S| >= 2^-6 or normalised */
        int32_t e = (T == 0 ? -4 - n : -1) + (ten ? 0 : 1) - (int32_t)z;
        return cfi_pack(L << z, e) | (sg & 0x80000000u);
    }
    uint64_t lo; int32_t hi;
    if (!ten) { lo = L << 1; hi = (int32_t)(L >> 63); }
    else { lo = L; hi = 0; }
    hi = (int32_t)((uint32_t)hi ^ sg); lo ^= s64;                /* one unit of 2^-64 off if negative */
    lo -= s64; hi += (sg && !lo);
    if (!ten) hi += k;
    else {
        int64_t t0 = (int64_t)k * (int64_t)(uint32_t)CFI_LT2;
        int64_t t1 = (int64_t)k * (int64_t)(CFI_LT2 >> 32) + (t0 >> 32);
        uint64_t l2 = (((uint64_t)(uint32_t)t1 << 32) | (uint32_t)t0) + lo;
        hi += (int32_t)(t1 >> 32) + (l2 < lo);
        lo = l2;
    }
    return cfi_lfin(hi, lo, 0);
}

CF_INLINE float cf_log2(float x) { return cf_f32(cfi_log2b(cf_bits32(x), 0)); }
CF_INLINE float cf_log10(float x) { return cf_f32(cfi_log2b(cf_bits32(x), 1)); }

CFI_SHARED uint32_t cfi_log1pb(uint32_t u) {
    uint32_t ax = u & 0x7fffffffu, ex = ax >> 23, sgn = u >> 31;
    if (ax - 0x32800000u >= 0x7f800000u - 0x32800000u || u >= 0xbf800000u) {
        if (ax > CF_INF) return CF_NAN;
        if (ax < 0x32800000u) return u;            /* |x| < 2^-26 */
        if (u == 0xbf800000u) return 0xff800000u;
        return sgn ? CF_NAN : u;
    }
    uint64_t X = (uint64_t)((u & 0x7fffffu) | 0x800000u) << 40;   /* |x| = X*2^-63*2^(ex-127) */
    if (ex < 121u) {                               /* |x| < 2^-6 */
        if (u == 0x35400003u) return 0x353fffffu;  /* x - x^2/2 is a midpoint, x^3/3 = 2^-66 relative decides */
        uint32_t sg = sgn - 1u;                    /* all ones if x > 0 */
        uint64_t g = (1ull << 63) + ((X >> (121u - ex)) ^ (((uint64_t)sg << 32) | sg));  /* 1/2 - 32x */
        uint32_t h = (uint32_t)(g >> 32);
        uint32_t a = CFI_P5 + cfi_mulh(CFI_P6 + cfi_mulh(CFI_P7 + cfi_mulh(CFI_P8, h), h), h);
        uint64_t y = cfi_pc[4] + (cfi_mul(a, h) >> 28);
        y = cfi_mad(cfi_pc[3], y, g);
        y = cfi_mad(cfi_pc[2], y, g);
        y = cfi_mad(cfi_pc[1], y, g);
        y = cfi_mad(cfi_pc[0], y, g);
        return cfi_fpack(cfi_mad(0, X, y), (int32_t)ex - 127 + 2) | (u & 0x80000000u);
    }
    /* Y*2^-63*2^k = 1 + x */
    uint64_t Y;
    int32_t k = (int32_t)ex - 127;
    if (sgn) { Y = (1ull << 63) - (X >> -k); k = 0; }
    else if (k < 0) { Y = (1ull << 63) + (X >> -k); k = 0; }
    else {
        uint64_t one = k < 64 ? (1ull << 63) >> k : 0;
        Y = X + one;
        if (Y < one) { Y = (Y >> 1) | (1ull << 63); k++; }
    }
    uint32_t n = cfi_clz((uint32_t)(Y >> 32));     /* 1+x >= 2^-24 */
    Y <<= n; k -= (int32_t)n;
    uint32_t yh = (uint32_t)(Y >> 32);
    uint32_t i = (yh - 0x7e000000u) >> 26, c = cfi_lr[i];
    if (i >= 13u) k++;
    uint64_t p = cfi_mul((uint32_t)Y, c), t = cfi_mul(yh, c) + (uint32_t)(p >> 32);  /* Q45, mod 2^45 is r */
    int32_t G = (int32_t)(uint32_t)(t >> 8);
    uint32_t d = (uint32_t)t << 24 | (uint32_t)p >> 8;             /* rest, Q69 */
    int64_t y = cfi_lker(G);
    int64_t S = (int64_t)cfi_lt[i] + (cfi_smad32(0, y, G) >> 3);
    /* ln(1+r+d) = ln(1+r) + d/(1+r), 1/(1+r) = 1 - r + r^2 - r^3, Q26 */
    int32_t r26 = G >> 11;
    int32_t q = 0x4000000 - r26;
    q = 0x4000000 - (int32_t)(cfi_smul(q << 4, r26) >> 30);
    q = 0x4000000 - (int32_t)(cfi_smul(q << 4, r26) >> 30);
    S += (int64_t)(cfi_mulh(d, (uint32_t)q << 5) >> 4);
    int64_t t0 = (int64_t)k * (int64_t)(uint32_t)CFI_LN2;
    int64_t t1 = (int64_t)k * (int64_t)(CFI_LN2 >> 32) + (t0 >> 32);
    uint64_t lo = ((uint64_t)(uint32_t)t1 << 32) | (uint32_t)t0;
    uint64_t l2 = lo + (uint64_t)S;
    int32_t hi = (int32_t)(t1 >> 32) + (int32_t)(S >> 63) + (l2 < lo);
    return cfi_lfin(hi, l2, 0);
}

CF_INLINE float cf_log1p(float x) { return cf_f32(cfi_log1pb(cf_bits32(x))); }

#endif
