#include "entry.h"
#include "hypot.h"

CF_ENTRY2(hypot)
