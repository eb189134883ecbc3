/* CRC-32C (Castagnoli, reflected polynomial 0x82f63b78, initial value and final XOR 0xffffffff). */
#ifndef CF_CRC32C_H
#define CF_CRC32C_H

#include <stdint.h>

uint32_t cf_crc32c(const uint8_t *p, uint32_t n);

/* That of any bytes with their own CRC behind them, in little endian. */
#define CF_CRC32C_WITH_ITSELF 0x48674bc7u

#endif
