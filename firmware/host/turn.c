/* Taking turns over one word of shared memory: awake for a while, since most programs are short, then asleep on the futex. */
#include <linux/futex.h>

#include "core/loop.h"
#include "host.h"
#include "sys.h"

#define AGAIN_NS 10000000u   /* likewise, where the answer is waited for in a tick */
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

int cf_host_await(uint32_t *word, uint32_t value, uint32_t *waits, uint64_t until) {
    uint64_t now = cf_hal_ticks();
    const uint64_t awake = now + cf_host.spin;

    for (; now < until; now = cf_hal_ticks()) {
        const uint32_t is = cf_get(word);
        if (is == value) {
            return 1;
        }
        if (now < awake) {
            cf_host_pause();
        } else {
            const struct cf_time timeout = cf_host_time(until - now < AGAIN_NS ? until - now : AGAIN_NS);
            cf_set(waits, 1);
            cf_fence();
            (void)cf_sys4(__NR_futex, word, FUTEX_WAIT, is, &timeout);
            cf_set(waits, 0);
        }
    }
    return cf_get(word) == value;
}

void cf_host_wake(uint32_t *word) {
    (void)cf_sys3(__NR_futex, word, FUTEX_WAKE, 1);
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
