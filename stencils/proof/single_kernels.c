/* The routines of ../src/kernels/f32int/softsingle.c, which kernels call. */
#include "single.h"

#include "../src/kernels/f32/bits.h"

#if defined(__ARM_EABI__)

routine __aeabi_fadd, __aeabi_fsub, __aeabi_fmul, __aeabi_fdiv;
routine __aeabi_fcmplt, __aeabi_fcmple, __aeabi_fcmpgt, __aeabi_fcmpge, __aeabi_fcmpeq, __aeabi_fcmpun;
uint32_t __aeabi_i2f(int32_t i);
uint32_t __aeabi_ui2f(uint32_t u);
int32_t __aeabi_f2iz(uint32_t a);

#define ADD __aeabi_fadd
#define SUB __aeabi_fsub
#define MUL __aeabi_fmul
#define DIV __aeabi_fdiv
#define LT  __aeabi_fcmplt
#define LE  __aeabi_fcmple
#define GT  __aeabi_fcmpgt
#define GE  __aeabi_fcmpge
#define EQ  __aeabi_fcmpeq
#define UNORDERED __aeabi_fcmpun

static uint32_t to_int(uint32_t a) { return (uint32_t)__aeabi_f2iz(a); }
static uint32_t from_int(uint32_t a) { return __aeabi_i2f((int32_t)a); }
static uint32_t from_unsigned(uint32_t a) { return __aeabi_ui2f(a); }

#else

float __addsf3(float a, float b);
float __subsf3(float a, float b);
float __mulsf3(float a, float b);
float __divsf3(float a, float b);
int __ltsf2(float a, float b);
int __lesf2(float a, float b);
int __gtsf2(float a, float b);
int __gesf2(float a, float b);
int __eqsf2(float a, float b);
int __unordsf2(float a, float b);
float __floatsisf(int32_t i);
float __floatunsisf(uint32_t u);
int32_t __fixsfsi(float a);

#define FLOAT(name, f) static uint32_t name(uint32_t a, uint32_t b) { return cf_bits32(f(cf_f32(a), cf_f32(b))); }
#define TEST(name, f, means) static uint32_t name(uint32_t a, uint32_t b) { return f(cf_f32(a), cf_f32(b)) means 0; }
FLOAT(ADD, __addsf3)
FLOAT(SUB, __subsf3)
FLOAT(MUL, __mulsf3)
FLOAT(DIV, __divsf3)
TEST(LT, __ltsf2, <)
TEST(LE, __lesf2, <=)
TEST(GT, __gtsf2, >)
TEST(GE, __gesf2, >=)
TEST(EQ, __eqsf2, ==)
TEST(UNORDERED, __unordsf2, !=)

static uint32_t to_int(uint32_t a) { return (uint32_t)__fixsfsi(cf_f32(a)); }
static uint32_t from_int(uint32_t a) { return cf_bits32(__floatsisf((int32_t)a)); }
static uint32_t from_unsigned(uint32_t a) { return cf_bits32(__floatunsisf(a)); }

#endif

static uint32_t from_int_of(uint32_t a, uint32_t b) {
    (void)b;
    return from_int(a);
}

static uint32_t from_unsigned_of(uint32_t a, uint32_t b) {
    (void)b;
    return from_unsigned(a);
}

/* It is defined for results that fit: others count as 0. */
static int fits(uint32_t a) { return (a & CF_ABS) < 0x4f000000u; }

static uint32_t to_int_of(uint32_t a, uint32_t b) {
    (void)b;
    return fits(a) ? to_int(a) : 0u;
}

static uint32_t hardware_to_int_that_fits(uint32_t a, uint32_t b) { return fits(a) ? hardware_to_int(a, b) : 0u; }

const struct single singles[] = {
    {"add", 2, ADD, hardware_add},
    {"sub", 2, SUB, hardware_sub},
    {"mul", 2, MUL, hardware_mul},
    {"div", 2, DIV, hardware_div},
    {"lt", 2, LT, hardware_lt},
    {"le", 2, LE, hardware_le},
    {"gt", 2, GT, hardware_gt},
    {"ge", 2, GE, hardware_ge},
    {"eq", 2, EQ, hardware_eq},
    {"unordered", 2, UNORDERED, hardware_unordered},
    {"from_int", 1, from_int_of, hardware_from_int},
    {"from_unsigned", 1, from_unsigned_of, hardware_from_unsigned},
    {"to_int", 1, to_int_of, hardware_to_int_that_fits},
    {0},
};
