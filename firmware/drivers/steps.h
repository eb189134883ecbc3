/*
 * What is written to registers, in which order, and what has to come true in between, as constants: clocks, pins, devices that are
 * turned on, watchdogs. A step takes 8 bytes where an address has 4, less than the code for it.
 */
#ifndef CF_STEPS_H
#define CF_STEPS_H

#include <stdbool.h>
#include <stdint.h>

struct cf_step {
    uintptr_t what; /* address of a register of 32 bits, and in its low two bits what is done there */
    uintptr_t bits;
};

#define CF_STEP_PLAIN 1u
#define CF_STEP_WAIT 2u

#define CF_GIVEN(address, value) {(address), (value)} /* writes value | given */
#define CF_WRITE(address, value) {(address) + CF_STEP_PLAIN, (value)}
#define CF_AWAIT_ONES(address, bits) {(address) + CF_STEP_WAIT, (bits)} /* all of them */
#define CF_AWAIT_ZEROS(address, bits) {(address) + CF_STEP_WAIT + CF_STEP_PLAIN, (bits)}
#define CF_READ(address) CF_AWAIT_ZEROS((address), 0)
#define CF_END {0, 0}
#define CF_STEPS(...) ((const struct cf_step[]){__VA_ARGS__, CF_END})

/* Takes them in order, up to CF_END. Returns false if one has waited in vain, which ends the others. */
bool cf_steps(const struct cf_step *steps, uint32_t given);

#endif
