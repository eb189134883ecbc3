#include "divmod.h"

f32 cf_floordiv(f32 a, f32 b);

f32 cf_floordiv(f32 a, f32 b) { return floordiv_exact(a, b); }
