/* Lists for the pins, carried out as code that pins.S makes of them. */
#include "core/pins.h"

#include <stddef.h>

#include "arch/cortex-m/cortex_m.h"
#include "arch/cortex-m/mpu.h"
#include "arch/cortex-m/pins.h"
#include "core/loop.h"

#if CF_PINS_ARE_CODE

/* Of link.ld: room for one entry and the end of its list. */
extern uint16_t cf_pin_code[], cf_pin_code_end[];

uint16_t *cf_m_translate(uint16_t *at, const uint16_t *end, const struct cf_pin_entry *e, uint32_t n);

/* The most entries that are carried out in a handler, none of which may wait: some 10 instructions each. */
#define SHORT 16u

static inline bool is_short(const struct cf_pin_entry *e, uint32_t n) {
    for (const struct cf_pin_entry *last = e + n; e < last; e++) {
        if (e->control >= CF_PIN_ONE_READ) {
            return false;
        }
    }
    return n <= SHORT;
}

CF_PINS_CODE void cf_hal_pins_translate(struct cf_program *p, uint8_t *room, const uint8_t *end) {
    const cf_word *count = p->pins;
    const struct cf_pin_entry *e = (const struct cf_pin_entry *)(const void *)count + 1 + count[CF_PINS_START];
    uint16_t *at = (uint16_t *)(void *)room;

    for (uint32_t list = CF_PINS_BEFORE; list <= CF_PINS_AFTER; list++) {
        const uint32_t n = count[list];
        uint16_t *const next = n == 0 ? NULL : cf_m_translate(at, (const uint16_t *)(const void *)end, e, n);
        p->pin_code[list] = next == NULL ? 0 : (uintptr_t)at | 1u;
        if (next != NULL) {
            at = next;
        }
        e += n;
    }
    cf_hal_sync_code((uint32_t)(room - cf_program_code_start), (uint32_t)((uint8_t *)at - room));
}

/* Of a list that has been carried out: in the lower word the entry that has waited in vain, or NULL, in the upper one what it has read. */
static uint32_t result(struct cf_loop *l, const struct cf_program *p, uint64_t end) {
    const struct cf_pin_entry *const waited = (const struct cf_pin_entry *)(uint32_t)end;

    if (waited == NULL) {
        return CF_LOOP_END_NONE;
    }
    l->failure = (struct cf_failure){{CF_FAULT_WAIT, (uint32_t)(end >> 32), 0, waited->address}, (uint32_t)(waited - (const struct cf_pin_entry *)(const void *)p->pins), l->tick};
    return CF_LOOP_END_WAIT;
}

CF_PINS_CODE uint32_t cf_pins(struct cf_loop *l, enum cf_pin_list list) {
    const struct cf_program *p = &l->program[l->current % CF_PROGRAMS];
    const cf_word *count = p->pins;
    const struct cf_pin_entry *e = (const struct cf_pin_entry *)(const void *)count + 1;

    if (count == NULL) {
        return CF_LOOP_END_NONE;
    }
    const uintptr_t code = p->pin_code[list];
    if (list == CF_PINS_AFTER) {
        const uint64_t end = cf_m_around.end;
        if (cf_m_around.after.code != 0 || (uint32_t)end != 0) {
            cf_m_around.after.code = 0;
            cf_m_around.end = 0;
            return result(l, p, end);
        }
    }
    for (uint32_t i = 0; i < list; i++) {
        e += *count++;
    }
    uint32_t n = *count;
    if (list == CF_PINS_BEFORE && code != 0 && p->count == 1 && l->tick % p->task[0].divisor == 0) {
        cf_m_around.before = (struct cf_m_list){e, code};
        if (is_short(e + n, count[1])) {
            cf_m_around.after = (struct cf_m_list){e + n, p->pin_code[CF_PINS_AFTER]};
        }
        return CF_LOOP_END_NONE;
    }
    while (n > 0) {
        uintptr_t now = code;
        n--;
        if (code == 0) {
            (void)cf_m_translate(cf_pin_code, cf_pin_code_end, e, 1);
            cf_hal_sync_code((uint32_t)((uint8_t *)cf_pin_code - cf_program_code_start), CF_M_MOST);
            now = (uintptr_t)cf_pin_code | 1u;
        } else {
            n = 0;
        }
        cf_m_mpu_code(true);
        const uint64_t end = cf_m_pins(p->space.data, e, now);
        cf_m_mpu_code(false);
        if ((uint32_t)end != 0) {
            return result(l, p, end);
        }
        e++;
    }
    return CF_LOOP_END_NONE;
}
#endif
