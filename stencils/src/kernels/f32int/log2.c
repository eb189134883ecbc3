#include "../f32/entry.h"
#include "log.h"

CF_ENTRY1(log2)
