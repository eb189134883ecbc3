#include "entry.h"
#include "pow.h"

CF64_ENTRY2(pow)
