"""The place of a value among 32 that are sorted."""
import copapy as cp

x = cp.input("x", [0.5 * k for k in range(32)])
v = cp.input("v", 7.3)

tg = cp.Target()
tg.compile(cp.searchsorted(x, v))

