"""Exponential smoothing of 8 channels."""
import math

import copapy as cp

x = cp.input("x", [[math.sin(1.3 * k + c) for c in range(8)] for k in range(40)])
a = cp.input("a", [0.05 * c + 0.1 for c in range(8)])


def step(i, s, x):
    s = s + a * (x - s)
    return s, s


_, y = cp.scan(40, step, cp.vector([0.0] * 8), x)

tg = cp.Target()
tg.compile(y)
