/* Registers that are variables, in the place of drivers/mmio.h. */
#ifndef CF_MMIO_H
#define CF_MMIO_H

#include <stdint.h>

uint32_t cf_mmio_read(uintptr_t address);
void cf_mmio_write(uintptr_t address, uint32_t value);

#endif
