"""32 elements sorted."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(32)])

tg = cp.Target()
tg.compile(cp.sort(x))

