"""An image under a window of 3 x 3."""
import math

import copapy as cp

x = cp.input("x", [[math.sin(1.3 * (12 * i + k)) for k in range(12)] for i in range(12)])
w = cp.input("w", [[0.1 * (3 * i + k) for k in range(3)] for i in range(3)])
r = sum(w[i, k] * x[i:i + 10, k:k + 10] for i in range(3) for k in range(3))

tg = cp.Target()
tg.compile(r)
