/* A chip's watchdog as its manual has it: registers that refuse what the manual forbids, and time. */
#ifndef CF_TEST_MODELS_H
#define CF_TEST_MODELS_H

#include <stdbool.h>
#include <stdint.h>

/* What of it cannot be turned off. */
enum { STOPS, SLOWS, STAYS };

/* Of the model that is linked in. */
extern const int model_end;      /* what the hardware can at the end: it stops, or has a time of more than 10 s, or goes on as it is */
extern const uint32_t model_grain; /* microseconds of one count, at most */

void model_write(uintptr_t address, uint32_t value);
uint32_t model_read(uintptr_t address);

/* Microseconds go by. Returns after how many of them the chip was reset, 0 if it was not. */
uint64_t model_pass(uint64_t us);

/* Ends the test. */
_Noreturn void refuse(const char *what, uint32_t value);

#endif
