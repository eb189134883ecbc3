"""Points of a plane that are turned."""
import math

import copapy as cp

p = cp.input("p", [[math.sin(1.3 * k), math.cos(k)] for k in range(32)])
c = cp.input("c", 0.8)
s = cp.input("s", 0.6)
tg = cp.Target()
tg.compile(cp.stack([p[:, 0] * c - p[:, 1] * s, p[:, 0] * s + p[:, 1] * c], axis=1))
