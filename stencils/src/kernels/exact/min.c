#include "soft.h"

f32 cf_min(f32 a, f32 b);

f32 cf_min(f32 a, f32 b) { return from_bits(soft_least(bits(a), bits(b))); }
