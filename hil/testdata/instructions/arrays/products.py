"""64 products of complex numbers."""
import math

import copapy as cp

a, c = (cp.input(n, [math.sin(1.3 * k) for k in range(64)]) for n in "ac")
b, e = (cp.input(n, [math.cos(0.7 * k) for k in range(64)]) for n in "be")

tg = cp.Target()
tg.compile(a * c - b * e, a * e + b * c)
