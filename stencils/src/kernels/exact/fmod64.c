#include "divmod64.h"

f64 cf_fmod64(f64 a, f64 b);

f64 cf_fmod64(f64 a, f64 b) { return b == 0.0 ? from_bits64(QUIET_NAN64) : fmod_exact64(a, b); }
