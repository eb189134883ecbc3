/* FE310-G002, as on the HiFive1 Rev B. */
#include "drivers/fe310.h"
