"""A thermostat that waits for five samples between switching on and off."""
import math

import copapy as cp

x = cp.input("x", [20 + 3 * math.sin(0.2 * k) for k in range(100)])


def step(i, s, x):
    on, wait = s
    want = cp.iif(x < 19.0, True, cp.iif(x > 21.0, False, on))
    go = (want != on) & (wait == 0)
    on = cp.iif(go, want, on)
    wait = cp.iif(go, 5, cp.iif(wait > 0, wait - 1, 0))
    return (on, wait), cp.to_int(on)


_, y = cp.scan(100, step, (False, 0), x)

tg = cp.Target()
tg.compile(y)
