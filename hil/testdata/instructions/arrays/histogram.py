"""How often each of 16 values comes."""
import copapy as cp

x = cp.input("x", [(7 * k * k + k) % 16 for k in range(64)])


def count(i, h):
    k = x[i]
    h[k] = h[k] + 1
    return h


tg = cp.Target()
tg.compile(cp.fori(64, count, cp.vector([0] * 16)))
