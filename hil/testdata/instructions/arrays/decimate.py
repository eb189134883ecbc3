"""The means of every four samples."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(128)])
tg = cp.Target()
tg.compile((x[::4] + x[1::4] + x[2::4] + x[3::4]) * 0.25)
