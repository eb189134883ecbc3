#include "../f32/entry.h"
#include "trig.h"

CF_ENTRY1(tan)
