/* What pins.c and pins.S share. */
#ifndef CF_M_PINS_H
#define CF_M_PINS_H

/* Bytes that the code of an entry and the end of a list take at most: of a wait that has a slot far away. */
#define CF_M_MOST 48

/* Where `end` lies in struct cf_m_around. */
#define CF_M_END 16

#ifndef __ASSEMBLER__
#include <stddef.h>

#include "core/pins.h"

/* A list that has been made code, as that wants it: the first entry, and the address of the code; 0: there is none. */
struct cf_m_list {
    const struct cf_pin_entry *e;
    uintptr_t code;
};

/* Lists that the next call of a program carries out itself, right before it and right behind it: between its inputs and its outputs there is
 * nothing else then. The latter is carried out in a handler. */
struct cf_m_around {
    struct cf_m_list before;
    struct cf_m_list after;
    uint64_t end; /* of the former, as that of cf_m_pins */
};
extern struct cf_m_around cf_m_around;

_Static_assert(offsetof(struct cf_m_around, end) == CF_M_END, "for vectors.S");

/* pins.S: carries it out. Returns NULL, or the entry that has waited in vain, and in the upper word what its register read as. */
uint64_t cf_m_pins(uint8_t *data, const struct cf_pin_entry *e, uintptr_t code);
#endif

#endif
