/* What pins.c and pins.S share. */
#ifndef CF_M_PINS_H
#define CF_M_PINS_H

/* Bytes that the code of an entry and the end of a list take at most: of a wait that has a slot far away. */
#define CF_M_MOST 48

#endif
