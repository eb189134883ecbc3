"""100 elements, zero where they are small."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])
band = cp.input("band", 0.2)

tg = cp.Target()
tg.compile(cp.where(abs(x) < band, 0.0, x))
