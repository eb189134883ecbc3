#include "../f32/entry.h"
#include "root.h"

CF_ENTRY1(sqrt)
