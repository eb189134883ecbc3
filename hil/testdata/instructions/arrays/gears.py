"""The gear of a drive by its speed, with a table of speeds for going up and one for going down."""
import math

import copapy as cp

speed = cp.input("speed", [20 + 20 * math.sin(0.1 * k) for k in range(100)])
up = cp.input("up", [10.0, 18.0, 27.0, 1000.0])
down = cp.input("down", [-1.0, 7.0, 14.0, 22.0])


def step(i, gear, v):
    gear = cp.where(v > up[gear], gear + 1, cp.where(v < down[gear], gear - 1, gear))
    gear = cp.clamp(gear, 0, 3)
    return gear, gear


_, y = cp.scan(100, step, 0, speed)

tg = cp.Target()
tg.compile(y)
