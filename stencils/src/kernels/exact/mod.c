#include "divmod.h"

f32 cf_mod(f32 a, f32 b);

f32 cf_mod(f32 a, f32 b) { return mod_exact(a, b); }
