"""The step of a covariance, A P A' + Q, of 6 x 6."""
import math

import copapy as cp

n = 6
a = cp.input("a", [[math.sin(1.3 * (n * i + k)) for k in range(n)] for i in range(n)])
p = cp.input("p", [[math.cos(0.7 * (n * i + k)) for k in range(n)] for i in range(n)])
q = cp.input("q", [[0.1 * (i == k) for k in range(n)] for i in range(n)])

tg = cp.Target()
tg.compile(a @ p @ a.T + q)

