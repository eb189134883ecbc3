"""The inverse of a matrix of 12 x 12."""
import math

import copapy as cp

n = 12
a = cp.input("a", [[math.sin(1.3 * (n * i + k)) + 3.0 * (i == k) for k in range(n)] for i in range(n)])

tg = cp.Target()
tg.compile(cp.inv(a))

