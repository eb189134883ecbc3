"""The greatest of the first 1 to 100 elements as a scan."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])


def step(i, most, x):
    most = cp.where(x > most, x, most)
    return most, most


_, y = cp.scan(100, step, x[0], x)

tg = cp.Target()
tg.compile(y)
