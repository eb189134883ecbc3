/* Registers, by their names in AArch64: Arm Architecture Reference Manual, DDI 0487, chapter D11. */
#include "drivers/clock.h"

#if defined(__aarch64__) || defined(__ARM_ARCH_7A__)

#if defined(__aarch64__)

uint32_t cf_generic_timer_hz(void) {
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return (uint32_t)hz;
}

static cf_moment now(void) {
    uint64_t counter;
    /* Without the barrier the counter may be read before earlier instructions have run. */
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(counter) : : "memory");
    return counter;
}

static void compare(cf_moment at) {
    __asm__ volatile("msr cntv_cval_el0, %0" : : "r"(at) : "memory");
}

static void control(uintptr_t value) {
    __asm__ volatile("msr cntv_ctl_el0, %0\n\tisb" : : "r"(value) : "memory");
}

#else

uint32_t cf_generic_timer_hz(void) {
    uint32_t hz;
    __asm__ volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(hz)); /* CNTFRQ */
    return hz;
}

static cf_moment now(void) {
    uint64_t counter;
    __asm__ volatile("isb\n\tmrrc p15, 1, %Q0, %R0, c14" : "=r"(counter) : : "memory"); /* CNTVCT */
    return counter;
}

static void compare(cf_moment at) {
    __asm__ volatile("mcrr p15, 3, %Q0, %R0, c14" : : "r"(at) : "memory"); /* CNTV_CVAL */
}

static void control(uintptr_t value) {
    __asm__ volatile("mcr p15, 0, %0, c14, c3, 1\n\tisb" : : "r"(value) : "memory"); /* CNTV_CTL */
}

#endif

static void alarm(cf_moment at) {
    compare(at);
    control(at != CF_NEVER);
}

static void start(void) {
    alarm(CF_NEVER);
}

const struct cf_clock_driver cf_generic_timer = {.start = start, .now = now, .alarm = alarm};

#endif
