#include "pins.h"

#include "loop.h"

#if CF_HAS_PINS
/* As in an image. */
struct entry {
    cf_word control;
    cf_word address;
    cf_word mask;
    cf_word value; /* or offset of the slot in the data block */
};

/* What else there is in `control` beside CF_PIN_*. */
#define WIDTH(control) ((control) >> 4 & 3u) /* of bytes, as a power of two */
#define SHIFT(control) ((control) >> 8 & 31u)
#define ONE_READ 0x10000u /* the upper half are the most reads of a wait, 0: it is none */
#define UNUSED 0xe0c8u
#define UNSAFE 0xffffffccu   /* all but CF_PIN_READ, CF_PIN_WRITE and the width */

#define WIDTH_32 2u

static const struct entry *entry_at(const uint8_t *code, uint32_t place) {
    return (const struct entry *)(const void *)(code + place);
}

uint32_t cf_set_pins(const struct cf_core *c, const struct cf_image *m, struct cf_program *p, uint32_t place) {
    const uint32_t length = m->announced[CF_IMAGE_CODE];
    const uint8_t *code = m->region[CF_REGION_CODE].bytes;
    uint32_t left = (length - place) / (uint32_t)sizeof(struct entry); /* the counts have the size of one */

    p->pins = place;
    p->code = code;
    if (place == 0) {
        return 0;
    }
    if ((place & 3u) != 0 || place > length || left == 0) {
        return place;
    }
    const cf_word *count = &entry_at(code, place)->control;
    for (uint32_t list = 0; list < CF_PIN_LISTS; list++) {
        for (uint32_t n = *count++; n > 0; n--) {
            place += (uint32_t)sizeof(struct entry);
            left--;
            const struct entry *e = entry_at(code, place);
            if (left == 0) {
                return place;
            }
            const uint32_t control = e->control;
            const uint32_t width = WIDTH(control);
            uint32_t written = e->mask;
            if ((control & (list == CF_PINS_SAFE ? UNSAFE : UNUSED)) != 0 || width > WIDTH_32 || (e->address & ((1u << width) - 1u)) != 0
                || ((control & CF_PIN_SLOT) != 0 && (e->value << 30 | e->value >> 2) >= m->space.data_length / 4u)) { /* huge if it is not aligned */
                return place;
            }
            if ((control & CF_PIN_WRITE) == 0) {
                written = 0;
            } else if ((control & CF_PIN_READ) == 0 || width != WIDTH_32) { /* a bus may give a part of a register to all of it */
                written = UINT32_MAX;
            }
            for (const struct cf_pin_window *w = c->platform->windows->window;; w++) {
                if (w->length == 0) {
                    return place;
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
    uint32_t place = p->pins;

    if (place == 0) {
        return CF_LOOP_END_NONE;
    }
    const cf_word *count = &entry_at(p->code, place)->control;
    for (; list > 0; list--) {
        place += (uint32_t)sizeof(struct entry) * *count++;
    }
    for (uint32_t n = *count; n > 0; n--) {
        place += (uint32_t)sizeof(struct entry);
        const struct entry *e = entry_at(p->code, place);
        uint32_t control = e->control;
        const uint32_t mask = e->mask;
        uint32_t value = e->value;
        uint32_t old = 0;
        cf_word *slot = (cf_word *)(void *)(p->space.data + value);

        if ((control & CF_PIN_SLOT) != 0) {
            value = *slot << SHIFT(control);
        }
        if ((control & CF_PIN_READ) != 0) {
            for (;;) {
                old = cf_hal_register_read(e->address, WIDTH(control));
                if (control < ONE_READ || (old & mask) == value) {
                    break;
                }
                control -= ONE_READ;
                if (control < ONE_READ) {
                    l->failure = (struct cf_failure){{CF_FAULT_WAIT, old, 0, e->address}, place, l->tick};
                    return CF_LOOP_END_WAIT;
                }
            }
        }
        if ((control & CF_PIN_WRITE) != 0) {
            cf_hal_register_write(e->address, WIDTH(control), (old & ~mask) | (value & mask));
        } else if ((control & CF_PIN_SLOT) != 0) {
            *slot = (old & mask) >> SHIFT(control);
        }
    }
    return CF_LOOP_END_NONE;
}
#endif
