"""The median of 9 elements."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(9)])

tg = cp.Target()
tg.compile(cp.median(x))

