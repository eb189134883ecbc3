#include "entry.h"
#include "log.h"

CF64_ENTRY1(log10)
