"""The sums of the first 1 to 100 elements."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])

tg = cp.Target()
tg.compile(cp.cumsum(x))

