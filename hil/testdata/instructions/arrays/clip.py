"""100 elements limited to an interval."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])

tg = cp.Target()
tg.compile(cp.where(x > 0.5, 0.5, cp.where(x < -0.25, -0.25, x)))
