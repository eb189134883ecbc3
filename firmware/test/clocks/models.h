/* A chip's clocks, pins and UART as its manual has them: registers that refuse what the manual forbids. */
#ifndef CF_TEST_STARTS_H
#define CF_TEST_STARTS_H

#include <stdbool.h>
#include <stdint.h>

/* How the chip comes to its runner. */
enum start {
    START_RESET,      /* after power-up */
    START_NO_CRYSTAL, /* the same, and the crystal does not start */
    START_NO_PLL,     /* and a PLL, where the chip has one, does not, either */
    START_LOADER,     /* from a boot loader in ROM that has left its PLL running and in use */
    STARTS,
};

static inline bool has_crystal(enum start start) {
    return start != START_NO_CRYSTAL && start != START_NO_PLL;
}

void model_start(enum start start);
void model_write(uintptr_t address, uint32_t value);
uint32_t model_read(uintptr_t address);

/* Of the model that is linked in. */
extern const uint32_t model_holds; /* bytes that its UART has received and not lost */
uint32_t model_clock_hz(void);      /* of the clock that times are measured with */
uint32_t model_uart_hz(void);
bool model_uart_ready(void); /* clock and both pins belong to it */
uint32_t model_baud(void);   /* 0: it is off */
void model_receive(uint8_t byte);
uint32_t model_sent(uint8_t *bytes); /* how many, which are taken away */

/* Ends the test. */
_Noreturn void refuse(const char *what, uint32_t value);

#endif
