"""A matrix of 16 x 16 times a vector, in C one term after the other."""
import math

import copapy as cp

a = cp.input("a", [[math.sin(1.3 * (16 * i + k)) for k in range(16)] for i in range(16)])
x = cp.input("x", [math.cos(0.7 * k) for k in range(16)])

tg = cp.Target()
tg.compile(a @ x)

