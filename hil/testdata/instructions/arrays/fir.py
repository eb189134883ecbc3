"""A filter of 32 taps over 64 samples as shifted products."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(95)])
h = cp.input("h", [math.cos(0.7 * k) / 32 for k in range(32)])
y = h[0] * x[31:]
for k in range(1, 32):
    y = y + h[k] * x[31 - k : 95 - k]

tg = cp.Target()
tg.compile(y)

