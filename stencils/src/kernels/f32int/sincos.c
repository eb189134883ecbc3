#include "../f32/pair.h"
#include "trig.h"

CF_ENTRY_SINCOS_PAIR
