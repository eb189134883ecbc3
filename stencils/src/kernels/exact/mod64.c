#include "divmod64.h"

f64 cf_mod64(f64 a, f64 b);

f64 cf_mod64(f64 a, f64 b) { return mod_exact64(a, b); }
