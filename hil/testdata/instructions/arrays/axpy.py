"""y = a x + y of 100 elements."""
import math

import copapy as cp

a = cp.input("a", 1.5)
x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])
y = cp.input("y", [math.cos(0.7 * k) for k in range(100)])

tg = cp.Target()
tg.compile(a * x + y)

