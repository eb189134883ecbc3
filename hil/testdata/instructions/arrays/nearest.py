"""The place of the nearest of 100 elements."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])
to = cp.input("to", 0.31)

tg = cp.Target()
tg.compile(cp.argmin(abs(x - to)))
