#include "soft.h"

f32 cf_trunc(f32 a);

f32 cf_trunc(f32 a) { return from_bits(soft_trunc(bits(a))); }
