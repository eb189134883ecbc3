"""A comb filter by a ring buffer of 8."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])


def step(i, ring, x):
    k = i & 7
    y = x + 0.5 * ring[k]
    ring[k] = y
    return ring, y


_, y = cp.scan(100, step, cp.vector([0.0] * 8), x)

tg = cp.Target()
tg.compile(y)
