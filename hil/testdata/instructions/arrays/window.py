"""The sum of 16 neighbouring ints at 100 places."""
import copapy as cp

x = cp.input("x", [k * 7919 % 4001 - 2000 for k in range(115)])

tg = cp.Target()
tg.compile(sum(x[k : 100 + k] for k in range(16)))
