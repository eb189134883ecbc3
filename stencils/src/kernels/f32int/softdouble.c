/* The functions that GCC calls for double arithmetic where the core has none, under
 * the names of its ABI. Linked into the kernels that need them: their source is the
 * same on every core, and so are their bits. */
#include "double.h"

#if defined(__ARM_EABI__) /* arguments and results in integer registers in every variant */
typedef uint32_t cfd_float;
#define CFD_BITS(f)  (f)
#define CFD_FLOAT(u) (u)
#define ADD          __aeabi_dadd
#define SUB          __aeabi_dsub
#define MUL          __aeabi_dmul
#define DIV          __aeabi_ddiv
#define EXTEND       __aeabi_f2d
#define TRUNCATE     __aeabi_d2f
#define FROM_INT     __aeabi_i2d
#else
typedef float cfd_float;
#define CFD_BITS(f)  cf_bits32(f)
#define CFD_FLOAT(u) cf_f32(u)
#define ADD          __adddf3
#define SUB          __subdf3
#define MUL          __muldf3
#define DIV          __divdf3
#define EXTEND       __extendsfdf2
#define TRUNCATE     __truncdfsf2
#define FROM_INT     __floatsidf
#endif

uint64_t ADD(uint64_t a, uint64_t b);
uint64_t SUB(uint64_t a, uint64_t b);
uint64_t MUL(uint64_t a, uint64_t b);
uint64_t DIV(uint64_t a, uint64_t b);
uint64_t EXTEND(cfd_float a);
cfd_float TRUNCATE(uint64_t a);
uint64_t FROM_INT(int32_t i);
double cf_soft_sqrt(double a) __asm__("sqrt"); /* an ordinary function: may use float registers */

uint64_t ADD(uint64_t a, uint64_t b) { return cfd_add(a, b); }
uint64_t SUB(uint64_t a, uint64_t b) { return cfd_add(a, b ^ CFD_SIGN); }
uint64_t MUL(uint64_t a, uint64_t b) { return cfd_mul(a, b); }
uint64_t DIV(uint64_t a, uint64_t b) { return cfd_div(a, b); }
uint64_t EXTEND(cfd_float a) { return cfd_from_float(CFD_BITS(a)); }
cfd_float TRUNCATE(uint64_t a) { return CFD_FLOAT(cfd_to_float(a)); }
uint64_t FROM_INT(int32_t i) { return cfd_from_int(i); }
double cf_soft_sqrt(double a) { return cf_f64(cfd_sqrt(cf_bits64(a))); }

#if defined(__ARM_EABI__)
uint32_t __aeabi_dcmplt(uint64_t a, uint64_t b);
uint32_t __aeabi_dcmpgt(uint64_t a, uint64_t b);
uint32_t __aeabi_dcmple(uint64_t a, uint64_t b);
uint32_t __aeabi_dcmpge(uint64_t a, uint64_t b);
uint32_t __aeabi_dcmpun(uint64_t a, uint64_t b);
uint32_t __aeabi_dcmplt(uint64_t a, uint64_t b) { return cfd_less(a, b); }
uint32_t __aeabi_dcmple(uint64_t a, uint64_t b) { return !cfd_unordered(a, b) & !cfd_less(b, a); }
uint32_t __aeabi_dcmpge(uint64_t a, uint64_t b) { return !cfd_unordered(a, b) & !cfd_less(a, b); }
uint32_t __aeabi_dcmpun(uint64_t a, uint64_t b) { return cfd_unordered(a, b); }
uint32_t __aeabi_dcmpgt(uint64_t a, uint64_t b) { return cfd_less(b, a); }
#else /* the sign of the answer counts; NaNs make the comparison false */
int __ltdf2(uint64_t a, uint64_t b);
int __gtdf2(uint64_t a, uint64_t b);
int __ledf2(uint64_t a, uint64_t b);
int __gedf2(uint64_t a, uint64_t b);
int __unorddf2(uint64_t a, uint64_t b);
int __ltdf2(uint64_t a, uint64_t b) { return -(int)cfd_less(a, b); }
int __gtdf2(uint64_t a, uint64_t b) { return (int)cfd_less(b, a); }
int __ledf2(uint64_t a, uint64_t b) { return (int)(cfd_unordered(a, b) | cfd_less(b, a)); }
int __gedf2(uint64_t a, uint64_t b) { return -(int)(cfd_unordered(a, b) | cfd_less(a, b)); }
int __unorddf2(uint64_t a, uint64_t b) { return (int)cfd_unordered(a, b); }
#endif
