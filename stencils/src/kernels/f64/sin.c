#include "entry.h"
#include "trig.h"

CF64_ENTRY1(sin)
