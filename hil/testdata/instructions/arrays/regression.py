"""A line through 64 points."""
import math

import copapy as cp

x = cp.input("x", [math.sin(1.3 * k) for k in range(64)])
y = cp.input("y", [math.sin(0.7 * k) for k in range(64)])


def line(sx, sy, sxy, sxx):
    slope = (64.0 * sxy - sx * sy) / (64.0 * sxx - sx * sx)
    return (sy - slope * sx) / 64.0, slope


tg = cp.Target()
tg.compile(*line(x.sum(), y.sum(), x @ y, x @ x))
