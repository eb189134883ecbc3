"""A switch with hysteresis over 100 samples as a scan."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])


def step(i, on, x):
    on = cp.where(x > 0.5, 1, cp.where(x < -0.5, 0, on))
    return on, on


_, y = cp.scan(100, step, 0, x)

tg = cp.Target()
tg.compile(y)
