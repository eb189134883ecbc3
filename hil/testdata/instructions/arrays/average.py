"""The moving average of 8 ints over 100 samples as a scan."""
import copapy as cp

x = cp.input("x", [k * 7919 % 4001 - 2000 for k in range(108)])


def step(i, s, row):
    new, old = row
    s = s + new - old
    return s, s >> 3


_, y = cp.scan(100, step, x[:8].sum(), (x[8:], x[:100]))

tg = cp.Target()
tg.compile(y)

