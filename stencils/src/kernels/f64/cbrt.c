#include "entry.h"
#include "root.h"

CF64_ENTRY1(cbrt)
