#include "entry.h"
#include "log.h"

CF_ENTRY1(log)
