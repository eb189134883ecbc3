#include "entry.h"
#include "pow.h"

CF_ENTRY2(pow)
