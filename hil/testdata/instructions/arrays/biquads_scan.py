"""A sample through 8 second-order sections as a scan over them."""
import math

import copapy as cp

n = 8
b0, b1, b2 = (cp.input("b%d" % j, [0.3 + 0.05 * j + 0.01 * k for k in range(n)]) for j in range(3))
a1, a2 = (cp.input("a%d" % j, [0.2 - 0.03 * j - 0.01 * k for k in range(n)]) for j in (1, 2))
z1 = cp.input("z1", [math.sin(1.3 * k) for k in range(n)])
z2 = cp.input("z2", [math.cos(0.7 * k) for k in range(n)])
u = cp.input("u", 0.75)


def section(i, u, row):
    b0, b1, b2, a1, a2, z1, z2 = row
    y = b0 * u + z1
    return y, (b1 * u - a1 * y + z2, b2 * u - a2 * y)


y, (next1, next2) = cp.scan(n, section, u, (b0, b1, b2, a1, a2, z1, z2))

tg = cp.Target()
tg.compile(y, next1, next2)

