/* What GCC calls in kernels for 64-bit integers where registers have 32 bits, by the names
 * and conventions of the ABI: doubles are passed as their bits, in integer registers. */
#include "../double.h"

u64 __aeabi_l2d(i64 a);
i64 __aeabi_d2lz(u64 a);

/* Both halves are exact as doubles; their sum is rounded once. */
u64 __aeabi_l2d(i64 a) { return bits64((f64)(i32)(a >> 32) * 0x1p32 + (f64)(u32)a); }

/* Toward zero, |a| < 2^63. The lower half is what the upper one leaves, exactly. */
i64 __aeabi_d2lz(u64 a) {
    f64 magnitude = from_bits64(a & MAGNITUDE64);
    u32 high = (u32)(magnitude * 0x1p-32);
    u32 low = (u32)(magnitude - (f64)high * 0x1p32);
    u64 whole = (u64)high << 32 | low;
    return (i64)(a >> 63 ? 0u - whole : whole);
}
