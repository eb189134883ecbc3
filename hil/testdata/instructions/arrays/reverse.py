"""100 floats from the last to the first, doubled."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])

tg = cp.Target()
tg.compile(x[::-1] * 2.0)
