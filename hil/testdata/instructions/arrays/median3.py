"""The median of each three neighbours of 100 floats."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])


def median(a, b, c):
    return cp.maximum(cp.minimum(a, b), cp.minimum(cp.maximum(a, b), c))


tg = cp.Target()
tg.compile(median(x[:98], x[1:99], x[2:100]))
