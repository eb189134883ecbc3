"""A hundred steps of a generator of random numbers by shifts."""
import copapy as cp

s = cp.input("s", 12345)


def step(i, s):
    s = s ^ (s << 13)
    s = s ^ ((s >> 17) & 0x7FFF)
    return s ^ (s << 5)


tg = cp.Target()
tg.compile(cp.fori(100, step, s))
