#include "asin.h"
#include "entry.h"

CF_ENTRY1(asin)
