"""The bits that are set in 32 words."""
import copapy as cp

x = cp.input("x", [k * 0x1234567 - 99 for k in range(32)])


def ones(v):
    v = v - ((v >> 1) & 0x55555555)
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
    v = (v + (v >> 4)) & 0x0F0F0F0F
    return (v * 0x01010101) >> 24


tg = cp.Target()
tg.compile(ones(x).sum())
