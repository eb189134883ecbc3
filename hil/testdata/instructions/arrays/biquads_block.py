"""64 samples through a second-order section as a scan over them."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(64)])
b0, b1, b2, a1, a2 = (cp.input("c%d" % k, 0.3 - 0.05 * k) for k in range(5))


def section(i, z, u):
    z1, z2 = z
    y = b0 * u + z1
    return (b1 * u - a1 * y + z2, b2 * u - a2 * y), y


_, y = cp.scan(64, section, (0.0, 0.0), x)

tg = cp.Target()
tg.compile(y)

