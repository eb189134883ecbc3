"""The greatest and the least of 100 elements."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])

tg = cp.Target()
tg.compile(x.max(), x.min())

