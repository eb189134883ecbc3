/* A model of the registers of a flash memory, which refuses what its manual forbids, and what it works on. */
#ifndef CF_TEST_FLASH_MODELS_H
#define CF_TEST_FLASH_MODELS_H

#include <stdio.h>
#include <stdlib.h>

#include "drivers/flash.h"

_Noreturn void refuse(const char *what, uint32_t value);

/* Of the model: which driver it is for, where two pages of its memory are, and registers. */
uint32_t model_read(uint32_t address);
void model_write(uint32_t address, uint32_t value);
int model_rests(void); /* the memory can be read, and is protected */

/* Of cases.c. */
extern uint8_t memory[2 * PAGE_LENGTH];
extern int stuck; /* operations never end */
void program(uint32_t address, uint32_t value);
void wipe(uint32_t address);

#endif
