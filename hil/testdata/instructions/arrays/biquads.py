"""A sample through 8 second-order sections, written out."""
import math

import copapy as cp

n = 8
b0, b1, b2 = (cp.input("b%d" % j, [0.3 + 0.05 * j + 0.01 * k for k in range(n)]) for j in range(3))
a1, a2 = (cp.input("a%d" % j, [0.2 - 0.03 * j - 0.01 * k for k in range(n)]) for j in (1, 2))
z1 = cp.input("z1", [math.sin(1.3 * k) for k in range(n)])
z2 = cp.input("z2", [math.cos(0.7 * k) for k in range(n)])
u = cp.input("u", 0.75)



def sections(u):
    next1, next2 = [], []
    for k in range(n):
        y = b0[k] * u + z1[k]
        next1.append(b1[k] * u - a1[k] * y + z2[k])
        next2.append(b2[k] * u - a2[k] * y)
        u = y
    return u, cp.vector(next1), cp.vector(next2)


tg = cp.Target()
tg.compile(*sections(u))

