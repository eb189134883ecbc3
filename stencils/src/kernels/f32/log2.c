#include "entry.h"
#include "log2.h"

CF_ENTRY1(log2)
