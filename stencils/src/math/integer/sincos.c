#include "../pair.h"
#include "trig.h"

CF_ENTRY_SINCOS_PAIR
