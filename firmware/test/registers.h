/* Registers that are variables, in the place of drivers/mmio.h. */
#ifndef CF_MMIO_H
#define CF_MMIO_H

#include <stdint.h>

uint32_t cf_mmio_read(uintptr_t address);
void cf_mmio_write(uintptr_t address, uint32_t value);
uint8_t cf_mmio_read8(uintptr_t address);
void cf_mmio_write8(uintptr_t address, uint8_t value);

#endif
