"""A day of a satellite in float32 and in float64, by the same code.

It flies on a circle, 400 km above the ground. One run of the program is a minute of
flight: 60 steps of leapfrog, a static loop, and position and velocity stay on the
target. Leapfrog keeps energy, so on paper the orbit never decays. Float32 knows the
position to half a metre and rounds it in each of 86 400 steps: after a day this
satellite has another energy, and is somewhere else.

The float64 half needs a target that has such floats in hardware.
"""
import math

import copapy as cp

MU = 398600.4418  # gravity of the Earth, km^3/s^2
R = 6778.0        # radius of the orbit, km
V = math.sqrt(MU / R)
H = 1.0           # time of a step, s
MINUTES = 24 * 60


def pull(x, y):
    r2 = x * x + y * y
    k = -MU / (r2 * cp.sqrt(r2))
    return k * x, k * y


def step(i, state):
    x, y, vx, vy = state
    ax, ay = pull(x, y)
    vx, vy = vx + H / 2 * ax, vy + H / 2 * ay
    x, y = x + H * vx, y + H * vy
    ax, ay = pull(x, y)
    return x, y, vx + H / 2 * ax, vy + H / 2 * ay


def satellite(dtype):
    """Position and velocity as states, a minute of flight in each run."""
    state = [cp.state(v, dtype=dtype) for v in (R, 0.0, 0.0, V)]
    for old, new in zip(state, cp.fori(60, step, state)):
        old.next = new
    return state


def report(name, x, y, vx, vy):
    energy = (vx * vx + vy * vy) / 2 - MU / math.hypot(x, y)
    drift = energy / (-MU / (2 * R)) - 1
    angle = V / R * 60 * MINUTES
    off = math.hypot(x - R * math.cos(angle), y - R * math.sin(angle))
    print(f"{name}: energy off by {drift:.1e}, height by {1000 * (math.hypot(x, y) - R):.3f} m, position by {off:.3f} km")


single, double = satellite(cp.f32), satellite(cp.f64)
tg = cp.Target()
tg.compile(single, double)
tg.run(MINUTES)
report("float32", *tg.read_value(single))
report("float64", *tg.read_value(double))
