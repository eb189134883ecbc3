"""A value between 32 points."""
import math

import copapy as cp

xp = cp.input("xp", [0.5 * k for k in range(32)])
fp = cp.input("fp", [math.sin(0.5 * k) for k in range(32)])
v = cp.input("v", 7.3)

tg = cp.Target()
tg.compile(cp.interp(v, xp, fp))

