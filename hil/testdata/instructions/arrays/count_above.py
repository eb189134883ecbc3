"""How many of 100 elements are above a limit."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])
limit = cp.input("limit", 0.25)

tg = cp.Target()
tg.compile((x > limit).sum())
