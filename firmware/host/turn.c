/* Taking turns over one word of shared memory: awake for a while, since most programs are short, then asleep on the futex. */
#include <linux/futex.h>

#include "host.h"
#include "sys.h"

#define SLEEP_NS 1000000000u /* at most, so that a lost wake-up costs no more */

static uint32_t turn_now(void) {
    return __atomic_load_n(&cf_host.shared->turn, __ATOMIC_SEQ_CST);
}

void cf_host_pass(uint32_t turn, const uint32_t *other_sleeps) {
    __atomic_store_n(&cf_host.shared->turn, turn, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(other_sleeps, __ATOMIC_SEQ_CST) != 0) {
        (void)cf_sys3(__NR_futex, &cf_host.shared->turn, FUTEX_WAKE, 1);
    }
}

void cf_host_pause(void) {
#if defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#else
    __asm__ volatile("pause");
#endif
}

uint32_t cf_host_wait(uint32_t from, uint32_t *sleeps, uint64_t deadline) {
    uint64_t now = cf_hal_ticks();
    uint64_t awake = now + cf_host.spin;

    while (now < deadline && turn_now() == from) {
        if (now < awake) {
            cf_host_pause();
        } else {
            const struct cf_time timeout = cf_host_time(deadline - now < SLEEP_NS ? deadline - now : SLEEP_NS);
            __atomic_store_n(sleeps, 1, __ATOMIC_SEQ_CST);
            (void)cf_sys4(__NR_futex, &cf_host.shared->turn, FUTEX_WAIT, from, &timeout);
            __atomic_store_n(sleeps, 0, __ATOMIC_SEQ_CST);
        }
        now = cf_hal_ticks();
    }
    return turn_now();
}
