#include "entry.h"
#include "atan.h"

CF64_ENTRY1(atan)
