#include "soft.h"

f32 cf_round(f32 a);

f32 cf_round(f32 a) { return from_bits(soft_round(bits(a))); }
