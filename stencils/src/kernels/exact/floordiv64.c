#include "divmod64.h"

f64 cf_floordiv64(f64 a, f64 b);

f64 cf_floordiv64(f64 a, f64 b) { return floordiv_exact64(a, b); }
