"""A product of two matrices of 8 x 8, in C one term after the other."""
import math

import copapy as cp

a = cp.input("a", [[math.sin(1.3 * (8 * i + k)) for k in range(8)] for i in range(8)])
b = cp.input("b", [[math.cos(0.7 * (8 * i + k)) for k in range(8)] for i in range(8)])

tg = cp.Target()
tg.compile(a @ b)

