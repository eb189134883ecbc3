#include "entry.h"
#include "hyperbolic.h"

CF_ENTRY1(cosh)
