"""100 samples followed at no more than a rate as a scan."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])
rate = cp.input("rate", 0.1)


def step(i, y, x):
    y = y + cp.clamp(x - y, -rate, rate)
    return y, y


_, y = cp.scan(100, step, 0.0, x)

tg = cp.Target()
tg.compile(y)
