#include "entry.h"
#include "exp2.h"

CF_ENTRY1(exp2)
