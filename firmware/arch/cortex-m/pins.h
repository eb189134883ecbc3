/* What pins.c and pins.S share. */
#ifndef CF_M_PINS_H
#define CF_M_PINS_H

/* Bytes that the code of an entry and the end of a list take at most: of a wait that has a slot far away. */
#define CF_M_MOST 48

#ifndef __ASSEMBLER__
#include "core/pins.h"

#if CF_PINS_ARE_CODE
/* What has been translated of a list: of so many entries, from e on. */
struct cf_m_list {
    uint8_t *data;
    const struct cf_pin_entry *e;
    const uint16_t *code; /* NULL: there is none */
};

/* Lists that the next call of a program carries out itself, right before it and right behind it: between its inputs and its outputs there is
 * nothing else then. */
struct cf_m_around {
    struct cf_m_list before;
    struct cf_m_list after;
    uint64_t end; /* of the latter */
};
extern struct cf_m_around cf_m_around;

/* pins.S: carries it out. Returns NULL, or the entry that has waited in vain, and in the upper word what its register read as. */
uint64_t cf_m_pins(uint8_t *data, const struct cf_pin_entry *e, const uint16_t *code);
#endif
#endif

#endif
