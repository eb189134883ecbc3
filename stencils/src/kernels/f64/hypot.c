#include "entry.h"
#include "root.h"

CF64_ENTRY2(hypot)
