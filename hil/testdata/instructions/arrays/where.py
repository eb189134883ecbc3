"""One of two products for each of 100 elements."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])
y = cp.input("y", [math.cos(0.7 * k) for k in range(100)])

tg = cp.Target()
tg.compile(cp.where(x > y, x * 2.0, y * 3.0))

