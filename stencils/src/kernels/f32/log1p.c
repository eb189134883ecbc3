#include "entry.h"
#include "log1p.h"

CF_ENTRY1(log1p)
