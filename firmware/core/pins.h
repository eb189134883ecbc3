/*
 * The pins: lists of operations on registers of the chip, which an image has in its code block.
 *
 * All of them are checked before any is carried out, and not again. What was checked stays as it is: the code block until the image
 * is dropped, as no program can write to it. (A chip without memory protection cannot help that, but there a program
 * reaches every register without a list.)
 */
#ifndef CF_PINS_H
#define CF_PINS_H

#include "request.h"

/* In the order in which they lie in the code block: their counts, then the entries of one after the other. */
enum cf_pin_list { CF_PINS_START, CF_PINS_BEFORE, CF_PINS_AFTER, CF_PINS_SAFE, CF_PIN_LISTS };

#if CF_HAS_PINS
/* As in an image. */
struct cf_pin_entry {
    cf_word control; /* CF_PIN_*, and what follows */
    cf_word address;
    cf_word mask;
    cf_word value; /* or offset of the slot in the data block */
};

#define CF_PIN_WIDTH(control) ((control) >> 4 & 3u) /* of bytes, as a power of two */
#define CF_PIN_WIDTH_32 2u
#define CF_PIN_SHIFT(control) ((control) >> 8 & 31u)
#define CF_PIN_ONE_READ 0x10000u /* the upper half are the most reads of a wait, 0: it is none */

/* Gives a program of the loop, which is that of the image, the lists at this place in its code block; 0: none. Returns 0, or the number of
 * the first entry that is not allowed, counted through all lists from 1 on. Where lists become code that lies behind them, that of an entry
 * for which there is no room is not allowed, either. */
uint32_t cf_set_pins(const struct cf_core *c, const struct cf_image *m, struct cf_program *p, uint32_t place);

/* Carries out a list of the program that runs. Returns CF_LOOP_END_NONE, or CF_LOOP_END_WAIT if it has waited in vain, and l->failure tells. */
uint32_t cf_pins(struct cf_loop *l, enum cf_pin_list list);
#else
static inline uint32_t cf_set_pins(const struct cf_core *c, const struct cf_image *m, struct cf_program *p, uint32_t place) {
    (void)c, (void)m, (void)p;
    return place != 0;
}

static inline uint32_t cf_pins(struct cf_loop *l, enum cf_pin_list list) {
    (void)l, (void)list;
    return CF_LOOP_END_NONE;
}
#endif

#if defined(CF_HAL_PINS)
/* Where the ticks run in a process that reaches no registers, and shares struct cf_loop with programs, the platform carries the lists
 * out elsewhere, by cf_pins. Before START changes anything: no program is to run from here on. */
void cf_hal_pins_prepare(void);

/* From now on these are the lists, checked, of a program of the loop; NULL: it has none. */
void cf_hal_pins_set(uint32_t program, const struct cf_space *space, const cf_word *lists);

/* As cf_pins, or CF_LOOP_END_DEVICE if a driver has failed. */
uint32_t cf_hal_pins(struct cf_loop *l, enum cf_pin_list list);
#else
static inline void cf_hal_pins_prepare(void) {
}

static inline void cf_hal_pins_set(uint32_t program, const struct cf_space *space, const cf_word *lists) {
    (void)program, (void)space, (void)lists;
}

static inline uint32_t cf_hal_pins(struct cf_loop *l, enum cf_pin_list list) {
    return cf_pins(l, list);
}
#endif

#endif
