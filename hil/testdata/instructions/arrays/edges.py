"""Rising edges of a signal, counted with hysteresis."""
import math

import copapy as cp

x = cp.input("x", [math.sin(0.7 * k) for k in range(100)])


def step(i, s, x):
    high, count = s
    now = cp.where(x > 0.2, 1, cp.where(x < -0.2, 0, high))
    count = count + cp.where((now == 1) & (high == 0), 1, 0)
    return (now, count), count


_, y = cp.scan(100, step, (0, 0), x)

tg = cp.Target()
tg.compile(y)
