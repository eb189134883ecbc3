#include "soft.h"

f32 cf_max(f32 a, f32 b);

f32 cf_max(f32 a, f32 b) { return from_bits(soft_greatest(bits(a), bits(b))); }
