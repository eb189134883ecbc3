"""A filter of 16 taps in fixed point."""
import copapy as cp

x = cp.input("x", [k * 7919 % 4001 - 2000 for k in range(79)])
h = cp.input("h", [k * 77 % 301 - 150 for k in range(16)])

tg = cp.Target()
tg.compile(sum(h[k] * x[k : k + 64] for k in range(16)) >> 8)
