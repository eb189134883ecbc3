/* FE310-G000, as on the first HiFive1 and as QEMU's machine "sifive_e" has it. */
#include "drivers/fe310.h"
