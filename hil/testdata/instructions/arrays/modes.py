"""A machine of 8 modes with a gain, an offset and a limit each, for 32 ticks."""
import math

import copapy as cp

gain = cp.input("gain", [0.5 + 0.1 * k for k in range(8)])
offset = cp.input("offset", [0.2 * k - 0.5 for k in range(8)])
limit = cp.input("limit", [0.4 + 0.05 * k for k in range(8)])
after = cp.input("after", [3, 0, 5, 1, 7, 6, 2, 4])
x = cp.input("x", [math.sin(1.3 * k) for k in range(32)])


def tick(i, mode, x):
    u = gain[mode] * x + offset[mode]
    return cp.iif(u > limit[mode], after[mode], mode), u


mode, u = cp.scan(32, tick, 0, x)

tg = cp.Target()
tg.compile(mode, u)

