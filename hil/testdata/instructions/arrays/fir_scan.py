"""A filter of 16 taps over 64 samples as a scan that carries the last inputs."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(64)])
h = cp.input("h", [math.cos(0.7 * k) / 16 for k in range(16)])


def step(i, last, x):
    last = [x] + last[:15]
    y = h[0] * x
    for k in range(1, 16):
        y = y + h[k] * last[k]
    return last, y


_, y = cp.scan(64, step, [0.0] * 16, x)

tg = cp.Target()
tg.compile(y)

