/*
 * The set-up of clocks and pins as constants: which bits are written to which register, in which order, and what has to come
 * true in between. A step takes 8 bytes, less than the code for it.
 */
#ifndef CF_STEPS_H
#define CF_STEPS_H

#include <stdbool.h>
#include <stdint.h>

struct cf_step {
    uintptr_t what; /* address of a register of 32 bits, and in its low two bits what is done there */
    uint32_t bits;
};

#define CF_STEP_WAIT 2u
#define CF_STEP_ONES 1u

#define CF_WRITE(address, value) {(address), (value)}
#define CF_SET(address, bits) {(address) + CF_STEP_ONES, (bits)} /* beside those that are 1 */
#define CF_AWAIT_ZEROS(address, bits) {(address) + CF_STEP_WAIT, (bits)}
#define CF_AWAIT_ONES(address, bits) {(address) + CF_STEP_WAIT + CF_STEP_ONES, (bits)} /* all of them */

/* Takes `count` of them in order. Returns false if one has waited in vain, which ends the others. */
bool cf_steps(const struct cf_step *steps, uint32_t count);

#define CF_STEPS(steps) cf_steps((steps), sizeof(steps) / sizeof(steps)[0])

#endif
