#include "entry.h"
#include "exp.h"

CF64_ENTRY1(exp2)
