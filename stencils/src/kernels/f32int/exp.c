#include "../f32/entry.h"
#include "exp.h"

CF_ENTRY1(exp)
