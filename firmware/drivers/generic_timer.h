/* Arm generic timer: the virtual counter as clock, its comparator as alarm. */
#ifndef CF_GENERIC_TIMER_H
#define CF_GENERIC_TIMER_H

#include <stdint.h>

#if defined(__aarch64__)

/* Rate of the counter in Hz, as start-up code or firmware has stated it. */
static inline uint32_t cf_generic_timer_hz(void) {
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return (uint32_t)hz;
}

static inline uint64_t cf_generic_timer_now(void) {
    uint64_t now;
    /* Without the barrier the counter may be read before earlier instructions have run. */
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(now) : : "memory");
    return now;
}

/* Raises the timer interrupt when the counter reaches `at`; at once if it has. */
static inline void cf_generic_timer_arm(uint64_t at) {
    __asm__ volatile("msr cntv_cval_el0, %0\n\tmsr cntv_ctl_el0, %1\n\tisb" : : "r"(at), "r"((uint64_t)1) : "memory");
}

static inline void cf_generic_timer_disarm(void) {
    __asm__ volatile("msr cntv_ctl_el0, xzr\n\tisb" : : : "memory");
}

#else /* the same registers in AArch32 */

static inline uint32_t cf_generic_timer_hz(void) {
    uint32_t hz;
    __asm__ volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(hz)); /* CNTFRQ */
    return hz;
}

static inline uint64_t cf_generic_timer_now(void) {
    uint64_t now;
    __asm__ volatile("isb\n\tmrrc p15, 1, %Q0, %R0, c14" : "=r"(now) : : "memory"); /* CNTVCT */
    return now;
}

static inline void cf_generic_timer_arm(uint64_t at) {
    __asm__ volatile("mcrr p15, 3, %Q0, %R0, c14\n\t" /* CNTV_CVAL */
                     "mcr p15, 0, %1, c14, c3, 1\n\t" /* CNTV_CTL */
                     "isb"
                     :
                     : "r"(at), "r"(1)
                     : "memory");
}

static inline void cf_generic_timer_disarm(void) {
    __asm__ volatile("mcr p15, 0, %0, c14, c3, 1\n\tisb" : : "r"(0) : "memory");
}

#endif

#endif
