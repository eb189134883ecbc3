/* The functions that GCC calls for single arithmetic where the core has no float
 * registers, for kernels that need a few of them: a program's own arithmetic is
 * services of the runner. By way of double, which rounds as if directly: 53 bits are
 * more than twice 24 and two. */
#include "double.h"

#if defined(__ARM_EABI__)
typedef uint32_t cfs_float;
#define CFS_BITS(f)  (f)
#define CFS_FLOAT(u) (u)
#define ADD          __aeabi_fadd
#define SUB          __aeabi_fsub
#define MUL          __aeabi_fmul
#define DIV          __aeabi_fdiv
#define TO_INT       __aeabi_f2iz
#define FROM_INT     __aeabi_i2f
#define FROM_UNSIGNED __aeabi_ui2f
#else
typedef float cfs_float;
#define CFS_BITS(f)  cf_bits32(f)
#define CFS_FLOAT(u) cf_f32(u)
#define ADD          __addsf3
#define SUB          __subsf3
#define MUL          __mulsf3
#define DIV          __divsf3
#define TO_INT       __fixsfsi
#define FROM_INT     __floatsisf
#define FROM_UNSIGNED __floatunsisf
#endif

#define WIDE(f)   cfd_from_float(CFS_BITS(f))
#define NARROW(d) CFS_FLOAT(cfd_to_float(d))

cfs_float ADD(cfs_float a, cfs_float b);
cfs_float SUB(cfs_float a, cfs_float b);
cfs_float MUL(cfs_float a, cfs_float b);
cfs_float DIV(cfs_float a, cfs_float b);
int32_t TO_INT(cfs_float a);
cfs_float FROM_INT(int32_t i);
cfs_float FROM_UNSIGNED(uint32_t u);

cfs_float ADD(cfs_float a, cfs_float b) { return NARROW(cfd_add(WIDE(a), WIDE(b))); }
cfs_float SUB(cfs_float a, cfs_float b) { return NARROW(cfd_add(WIDE(a), WIDE(b) ^ CFD_SIGN)); }
cfs_float MUL(cfs_float a, cfs_float b) { return NARROW(cfd_mul(WIDE(a), WIDE(b))); }
cfs_float DIV(cfs_float a, cfs_float b) { return NARROW(cfd_div(WIDE(a), WIDE(b))); }

/* Toward zero, for results that fit. */
int32_t TO_INT(cfs_float a) {
    uint32_t u = CFS_BITS(a), e = (u & CF_ABS) >> 23;
    uint32_t m = e < 127u || e > 158u ? 0u : ((u << 8) | CF_SIGN) >> (158u - e);
    return (int32_t)((u & CF_SIGN) != 0u ? 0u - m : m);
}

cfs_float FROM_INT(int32_t i) { return NARROW(cfd_from_int(i)); }

cfs_float FROM_UNSIGNED(uint32_t u) {
    uint64_t half = cfd_from_int((int32_t)(u >> 1)); /* all exact but the rounding to float */
    return NARROW(cfd_add(cfd_add(half, half), cfd_from_int((int32_t)(u & 1u))));
}

#if defined(__ARM_EABI__)
uint32_t __aeabi_fcmplt(uint32_t a, uint32_t b);
uint32_t __aeabi_fcmple(uint32_t a, uint32_t b);
uint32_t __aeabi_fcmpge(uint32_t a, uint32_t b);
uint32_t __aeabi_fcmpgt(uint32_t a, uint32_t b);
uint32_t __aeabi_fcmpeq(uint32_t a, uint32_t b);
uint32_t __aeabi_fcmpun(uint32_t a, uint32_t b);
uint32_t __aeabi_fcmplt(uint32_t a, uint32_t b) { return cfd_less(WIDE(a), WIDE(b)); }
uint32_t __aeabi_fcmpgt(uint32_t a, uint32_t b) { return cfd_less(WIDE(b), WIDE(a)); }
uint32_t __aeabi_fcmple(uint32_t a, uint32_t b) { return !cfd_unordered(WIDE(a), WIDE(b)) & !cfd_less(WIDE(b), WIDE(a)); }
uint32_t __aeabi_fcmpge(uint32_t a, uint32_t b) { return !cfd_unordered(WIDE(a), WIDE(b)) & !cfd_less(WIDE(a), WIDE(b)); }
uint32_t __aeabi_fcmpeq(uint32_t a, uint32_t b) {
    return !cfd_unordered(WIDE(a), WIDE(b)) & !cfd_less(WIDE(a), WIDE(b)) & !cfd_less(WIDE(b), WIDE(a));
}
uint32_t __aeabi_fcmpun(uint32_t a, uint32_t b) { return cfd_unordered(WIDE(a), WIDE(b)); }
#else /* the sign of the answer counts; NaNs make the comparison false */
int __ltsf2(float a, float b);
int __gtsf2(float a, float b);
int __lesf2(float a, float b);
int __gesf2(float a, float b);
int __eqsf2(float a, float b);
int __nesf2(float a, float b);
int __unordsf2(float a, float b);
int __ltsf2(float a, float b) { return -(int)cfd_less(WIDE(a), WIDE(b)); }
int __gtsf2(float a, float b) { return (int)cfd_less(WIDE(b), WIDE(a)); }
int __lesf2(float a, float b) { return (int)(cfd_unordered(WIDE(a), WIDE(b)) | cfd_less(WIDE(b), WIDE(a))); }
int __gesf2(float a, float b) { return -(int)(cfd_unordered(WIDE(a), WIDE(b)) | cfd_less(WIDE(a), WIDE(b))); }
int __eqsf2(float a, float b) {
    return (int)(cfd_unordered(WIDE(a), WIDE(b)) | cfd_less(WIDE(a), WIDE(b)) | cfd_less(WIDE(b), WIDE(a)));
}
int __nesf2(float a, float b) {
    return (int)(cfd_unordered(WIDE(a), WIDE(b)) | cfd_less(WIDE(a), WIDE(b)) | cfd_less(WIDE(b), WIDE(a)));
}
int __unordsf2(float a, float b) { return (int)cfd_unordered(WIDE(a), WIDE(b)); }
#endif
