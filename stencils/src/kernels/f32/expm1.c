#include "entry.h"
#include "expm1.h"

CF_ENTRY1(expm1)
