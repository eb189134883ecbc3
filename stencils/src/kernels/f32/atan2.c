#include "atan.h"
#include "entry.h"

CF_ENTRY2(atan2)
