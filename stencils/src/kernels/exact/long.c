/* What GCC calls in kernels for 64-bit integers where registers have 32 bits, by the names
 * and conventions of the ABI. On 32-bit Arm doubles are passed as their bits, in integer
 * registers. On 32-bit x86 they come in xmm0, but leave as their bits too, in eax and edx:
 * GCC knows of no other way to get one from such a function when it may not use the x87. */
#include "../../double.h"

#if defined(__arm__)
#define TO_DOUBLE __aeabi_l2d
#define TO_LONG __aeabi_d2lz
typedef u64 double_argument;
#define BITS_OF(a) (a)
#else
#define TO_DOUBLE __floatdidf
#define TO_LONG __fixdfdi
typedef f64 double_argument;
#define BITS_OF(a) bits64(a)
#endif

u64 TO_DOUBLE(i64 a);
i64 TO_LONG(double_argument a);

/* Both halves are exact as doubles; their sum is rounded once. */
u64 TO_DOUBLE(i64 a) { return bits64((f64)(i32)(a >> 32) * 0x1p32 + (f64)(u32)a); }

/* Toward zero, |a| < 2^63. The lower half is what the upper one leaves, exactly. */
i64 TO_LONG(double_argument a) {
    u64 u = BITS_OF(a);
    f64 magnitude = from_bits64(u & MAGNITUDE64);
    u32 high = (u32)(magnitude * 0x1p-32);
    u32 low = (u32)(magnitude - (f64)high * 0x1p32);
    u64 whole = (u64)high << 32 | low;
    return (i64)(u >> 63 ? 0u - whole : whole);
}
