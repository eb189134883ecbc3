import math
import copapy as cp
x = cp.input("x", [math.sin(1.3 * k) for k in range(100)])
r0 = cp.input('rate', 0.1)
_, r = cp.scan(100, lambda i, s, x: (s + cp.clamp(x-s, -r0, r0),)*2, 0.0, x)
tg = cp.Target()
tg.compile(r)
