#include "cbrt.h"
#include "entry.h"

CF_ENTRY1(cbrt)
