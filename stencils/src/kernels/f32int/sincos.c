//@ kernel sincos f32 FF=F
#include "../f32/pair.h"
#include "trig.h"

CF_ENTRY_SINCOS_PAIR
