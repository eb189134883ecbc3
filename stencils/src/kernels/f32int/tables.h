/* Elements of small tables, 8 and 16 bits: on RISC-V words, since one chip of that kind, the ESP32-C3, loads nothing but aligned words
 * from where code lies, and the tables lie there, too. */
#ifndef CF_INTEGER_TABLES_H
#define CF_INTEGER_TABLES_H

#include <stdint.h>

#if defined(__riscv)
typedef uint32_t cfi_byte, cfi_half;
#else
typedef uint8_t cfi_byte;
typedef uint16_t cfi_half;
#endif

#endif
