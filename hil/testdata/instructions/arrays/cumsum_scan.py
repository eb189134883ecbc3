"""The sums of the first 1 to 100 elements as a scan."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])
_, y = cp.scan(100, lambda i, s, x: (s + x, s + x), 0.0, x)

tg = cp.Target()
tg.compile(y)

