#include "../entry.h"
#include "atan.h"

CF_ENTRY1(acos)
