#include "divmod.h"

f32 cf_fmod(f32 a, f32 b);

f32 cf_fmod(f32 a, f32 b) { return b == 0.0f ? from_bits(INFINITY_BITS | 0x400000u) : fmod_exact(a, b); }
