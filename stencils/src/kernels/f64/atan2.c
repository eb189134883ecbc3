#include "entry.h"
#include "atan.h"

CF64_ENTRY2(atan2)
