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

CF_PINS_CODE void cf_hal_pins_translate(struct cf_program *p, uint8_t *room, const uint8_t *end) {
    const cf_word *count = p->pins;
    const struct cf_pin_entry *e = (const struct cf_pin_entry *)(const void *)count + 1 + *count;
    struct cf_pin_code *made = p->around;
    uint16_t *at = (uint16_t *)(void *)room;

    for (uint32_t list = CF_PINS_BEFORE; list <= CF_PINS_AFTER; list++) {
        uint16_t *const next = count[list] == 0 ? NULL : cf_m_translate(at, (const uint16_t *)(const void *)end, e, count[list]);
        made->first = e;
        made->code = 0;
        if (next != NULL) {
            made->code = (uintptr_t)at | 1u;
            at = next;
        }
        p->pin_code[list] = made->code;
        made++;
        e += count[list];
    }
    for (uint32_t n = count[CF_PINS_AFTER]; n > 0; n--) {
        e--;
        if (e->control >= CF_PIN_ONE_READ || n > SHORT) {
            made[-1].code = 0;
        }
    }
    if (p->count != 1 || p->task->divisor != 1) {
        p->around->code = 0;
    }
    cf_hal_sync_code((uint32_t)(room - cf_program_code_start), (uint32_t)((uint8_t *)at - room));
}

CF_PINS_CODE uint32_t cf_pins(struct cf_loop *l, enum cf_pin_list list) {
    const struct cf_program *p = &l->program[l->current % CF_PROGRAMS];
    const cf_word *count = p->pins;
    const struct cf_pin_entry *e = (const struct cf_pin_entry *)(const void *)count;
    uint64_t end;

    if (count == NULL) {
        return CF_LOOP_END_NONE;
    }
    if (list == CF_PINS_BEFORE && p->around->code != 0) {
        cf_m_around.lists = p->around;
        return CF_LOOP_END_NONE;
    }
    if (list == CF_PINS_AFTER && p->around->code != 0) {
        end = (uint32_t)cf_m_around.waited | (uint64_t)cf_m_around.read << 32;
        cf_m_around.waited = NULL;
        if ((uint32_t)end != 0) {
            goto waited;
        }
        if (p->around[1].code != 0) {
            return CF_LOOP_END_NONE;
        }
    }
    const uintptr_t code = p->pin_code[list];
    for (; list > 0; list--) {
        e += *count++;
    }
    for (uint32_t n = *count; n > 0; n--) {
        uintptr_t now = code;
        e++;
        if (code == 0) {
            (void)cf_m_translate(cf_pin_code, cf_pin_code_end, e, 1);
            cf_hal_sync_code((uint32_t)((uint8_t *)cf_pin_code - cf_program_code_start), CF_M_MOST);
            now = (uintptr_t)cf_pin_code | 1u;
        } else {
            n = 1;
        }
        cf_m_mpu_code(true);
        end = cf_m_pins(p->space.data, e, now);
        cf_m_mpu_code(false);
        if ((uint32_t)end != 0) {
            goto waited;
        }
    }
    return CF_LOOP_END_NONE;

waited:
    e = (const struct cf_pin_entry *)(uint32_t)end;
    l->failure.fault = (struct cf_fault){CF_FAULT_WAIT, (uint32_t)(end >> 32), 0, e->address};
    l->failure.entry = (uint32_t)e - (uint32_t)p->pins;
    l->failure.entry /= sizeof *e;
    l->failure.run = l->tick;
    return CF_LOOP_END_WAIT;
}
#endif
