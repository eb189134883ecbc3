"""Products of complex numbers whose parts lie in turn."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(128)])
y = cp.input("y", [math.cos(0.7 * k) for k in range(128)])


def product(a, b, c, d):
    z = cp.zeros(128)
    z[0::2] = a * c - b * d
    z[1::2] = a * d + b * c
    return z


tg = cp.Target()
tg.compile(product(x[0::2], x[1::2], y[0::2], y[1::2]))
