/* First tier of the reference: double results of glibc's vector library, which
 * the compiler calls from these loops (-O3 -mavx2 -ffast-math). It states an
 * error below 4 ulp of double; the sweep relies on 2^15 ulp only. */
#include <math.h>

#define X(name, mirror)                                             \
    void reference_##name(const float *x, double *y, int n) {       \
        for (int i = 0; i < n; i++) y[i] = name((double)x[i]);      \
    }
#include "functions.h"
