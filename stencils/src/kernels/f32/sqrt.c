#include "entry.h"
#include "sqrt.h"

CF_ENTRY1(sqrt)
