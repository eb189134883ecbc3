#include "atan.h"
#include "entry.h"

CF_ENTRY1(atan)
