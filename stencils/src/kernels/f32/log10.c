#include "entry.h"
#include "log10.h"

CF_ENTRY1(log10)
