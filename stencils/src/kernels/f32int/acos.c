#include "../f32/entry.h"
#include "atan.h"

CF_ENTRY1(acos)
