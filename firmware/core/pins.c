#include "pins.h"

#include <stddef.h>

#include "loop.h"

#if CF_HAS_PINS && !CF_PINS_ARE_CODE
_Static_assert(CF_PIN_WRITE == 1u << 1, "a shift away from one");

/* What a list has not; what that of safe values has not: all but CF_PIN_READ, CF_PIN_WRITE and the width. */
#define UNUSED 0xe0c8u
#define UNSAFE 0xffffffccu

/* A write that leaves the bits outside of its mask as they are: 32 bits, since a bus may give a part of a register to all of it. */
#define KEEPS(control) (((control) & (0x30u | CF_PIN_READ)) == (CF_PIN_WIDTH_32 << 4 | CF_PIN_READ))

/* A slot is aligned, and in the data; what has one reads or writes, and does not wait. */
static int is_slot(const struct cf_pin_entry *e, uint32_t length) {
    return (e->control & (CF_PIN_READ | CF_PIN_WRITE)) != 0 && e->control >> 16 == 0
        && (e->value << 30 | e->value >> 2) < length / 4u; /* huge if it is not aligned */
}

/* The counts of the lists have the size of an entry, which comes in front of the others. */
uint32_t cf_set_pins(const struct cf_core *c, const struct cf_image *m, struct cf_program *p, uint32_t place) {
    const uint32_t length = m->announced[CF_IMAGE_CODE];
    const struct cf_pin_entry *e = (const struct cf_pin_entry *)(const void *)(m->region[CF_REGION_CODE].bytes + place);
    const uint32_t room = (length - place) / (uint32_t)sizeof *e;
    uint32_t number = 0;

    p->pins = NULL;
    if (place == 0) {
        return 0;
    }
    if ((place & 3u) != 0 || place > length || room == 0) {
        return 1;
    }
    const cf_word *count = &e->control;
    p->pins = count;
    for (uint32_t list = 0; list < CF_PIN_LISTS; list++) {
        for (uint32_t n = count[list]; n > 0; n--) {
            number++;
            e++;
            if (number >= room) {
                return number;
            }
            const uint32_t control = e->control;
            const uint32_t width = CF_PIN_WIDTH(control);
            uint32_t written = 0u - (control >> 1 & 1u); /* all bits, if there is CF_PIN_WRITE */
            if ((control & (list == CF_PINS_SAFE ? UNSAFE : UNUSED)) != 0 || width > CF_PIN_WIDTH_32 || e->address >> width << width != e->address
                || ((control & CF_PIN_SLOT) != 0 && !is_slot(e, m->space.data_length))) {
                return number;
            }
            if (KEEPS(control)) {
                written &= e->mask;
            }
#if CF_DRIVER
            if (cf_hal_driver_has(e->address)) {
                continue;
            }
#endif
            for (const struct cf_pin_window *w = c->platform->windows->window;; w++) {
                if (w->length == 0) {
                    return number;
                }
                if (e->address - w->address < w->length && (written & ~w->bits) == 0) { /* its end as well: both are multiples of 4 */
                    break;
                }
            }
        }
    }
    return 0;
}

uint32_t cf_pins(struct cf_loop *l, enum cf_pin_list list) {
    const struct cf_program *p = &l->program[l->current % CF_PROGRAMS];
    const cf_word *count = p->pins;
    const struct cf_pin_entry *e = (const struct cf_pin_entry *)(const void *)count;

    if (count == NULL) {
        return CF_LOOP_END_NONE;
    }
    for (; list > 0; list--) {
        e += *count++;
    }
    for (uint32_t n = *count; n > 0; n--) {
        e++;
        uint32_t control = e->control;
        uint32_t value = e->value;
        uint32_t old = 0;
        cf_word *slot = (cf_word *)(void *)(p->space.data + value);

        if ((control & CF_PIN_SLOT) != 0) {
            value = *slot << CF_PIN_SHIFT(control);
        }
        if ((control & CF_PIN_READ) != 0) {
            for (;;) {
                old = cf_hal_register_read(e->address, CF_PIN_WIDTH(control));
                if (control < CF_PIN_ONE_READ || (old & e->mask) == value) {
                    break;
                }
                control -= CF_PIN_ONE_READ;
                if (control < CF_PIN_ONE_READ) {
                    const uint32_t number = ((uint32_t)(uintptr_t)e - (uint32_t)(uintptr_t)p->pins) / (uint32_t)sizeof *e;
                    l->failure = (struct cf_failure){{CF_FAULT_WAIT, old, 0, e->address}, number, l->tick};
                    return CF_LOOP_END_WAIT;
                }
            }
        }
        if ((control & CF_PIN_WRITE) != 0) {
            cf_hal_register_write(e->address, CF_PIN_WIDTH(control), old ^ ((old ^ value) & e->mask));
        } else if ((control & CF_PIN_SLOT) != 0) {
            *slot = (old & e->mask) >> CF_PIN_SHIFT(control);
        }
    }
    return CF_LOOP_END_NONE;
}
#endif
