/* What pins.c and pins.S share. */
#ifndef CF_M_PINS_H
#define CF_M_PINS_H

/* Bytes that the code of an entry and the end of a list take at most: of a wait that has a slot far away. */
#define CF_M_MOST 48

/* Where `waited` lies in struct cf_m_around. */
#define CF_M_WAITED 4

#ifndef __ASSEMBLER__
#include <stddef.h>

#include "core/loop.h"
#include "core/pins.h"

/* What the next call of a program carries out itself: the list in front of it as the last before it, and the one behind it as the first
 * after it, in a handler. Between inputs and outputs there is nothing else then. */
struct cf_m_around {
    const struct cf_pin_code *lists; /* two; NULL: none */
    const struct cf_pin_entry *waited; /* an entry of the former, in vain; NULL: none */
    uint32_t read; /* what its register read as */
};
extern struct cf_m_around cf_m_around;

_Static_assert(offsetof(struct cf_m_around, waited) == CF_M_WAITED && offsetof(struct cf_m_around, read) == CF_M_WAITED + 4, "for vectors.S");

/* pins.S: carries it out. Returns NULL, or the entry that has waited in vain, and in the upper word what its register read as. */
uint64_t cf_m_pins(uint8_t *data, const struct cf_pin_entry *e, uintptr_t code);
#endif

#endif
