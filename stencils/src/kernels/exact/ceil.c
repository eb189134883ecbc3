#include "soft.h"

f32 cf_ceil(f32 a);

f32 cf_ceil(f32 a) { return from_bits(soft_toward(bits(a), 0u)); }
