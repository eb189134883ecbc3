"""Fletcher's checksum of 64 bytes."""
import copapy as cp

x = cp.input("x", [(7919 * k) % 256 for k in range(64)])


def step(i, sums):
    a, b = sums
    a = (a + x[i]) % 255
    b = (a + b) % 255
    return a, b


def checksum(a, b):
    return (b << 8) | a


tg = cp.Target()
tg.compile(checksum(*cp.fori(64, step, (0, 0))))
