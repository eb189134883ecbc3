"""The moving average of 8 ints over 100 samples as shifted sums."""
import copapy as cp

x = cp.input("x", [k * 7919 % 4001 - 2000 for k in range(107)])


def window():
    s = x[:100]
    for k in range(1, 8):
        s = s + x[k : 100 + k]
    return s


tg = cp.Target()
tg.compile(window() >> 3)

