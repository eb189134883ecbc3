/* What pins.c, pins.S and vectors.S share. */
#ifndef CF_M_PINS_H
#define CF_M_PINS_H

/* Where things lie; pins.c holds that. */
#define CF_M_ENTRY 16 /* bytes of one */
#define CF_M_DATA_LENGTH 12 /* of struct cf_image */
#define CF_M_CODE 20
#define CF_M_CODE_LENGTH 64
#define CF_M_DATA 4 /* of struct cf_program */
#define CF_M_LISTS 16
#define CF_M_APART 48
#define CF_M_TICK 20 /* of struct cf_loop */
#define CF_M_CURRENT 32
#define CF_M_FAILURE 216
#define CF_M_PROGRAM 240
#define CF_M_PROGRAM_SHIFT 8 /* of the size of one */
#define CF_M_WAITED 4 /* of struct cf_m_around */
#define CF_M_AROUND 8
#define CF_M_SP 12

/* The code of a list lies so many bytes behind what cf_pin_code has. */
#define CF_M_CODE_AT 46

#ifndef CF_DRIVER
#define CF_DRIVER 0
#endif

#ifndef __ASSEMBLER__
#include "core/loop.h"
#include "core/pins.h"

/* What the next call of a program carries out itself: the list in front of it as the last before it, and the one behind it as the first
 * after it, in a handler. Between inputs and outputs there is nothing else then. */
struct cf_m_around {
    uint32_t read;                     /* what the register of `waited` read as */
    const struct cf_pin_entry *waited; /* an entry of the former list, in vain; NULL: none */
    const struct cf_pin_code *lists;   /* two; NULL: none */
    uintptr_t sp;                      /* of the runner, while the call lasts */
};
extern struct cf_m_around cf_m_around;

/* Carries out a list, the first one here, without a program. */
void cf_m_carry_out(void *data, const struct cf_pin_code *list);
#endif

#endif
