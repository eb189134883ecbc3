/* The ends of entries that are called as protocol/SPEC.md, section 9, has it: they preserve nothing, find the data block in the base
 * register, and the return address in the second of two words on the stack. */
#ifndef CF_MACHINE_BARE_H
#define CF_MACHINE_BARE_H

TEXT void enter(void) {}
TEXT void leave(void) { __asm__ volatile("pop {r3, pc}"); }
TEXT void save_ints(void) {}
TEXT void restore_ints(void) {}
TEXT void save_floats(void) {}
TEXT void restore_floats(void) {}

#endif
