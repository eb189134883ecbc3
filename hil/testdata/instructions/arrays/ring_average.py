"""The average of the last 10 integers, by a ring buffer."""
import copapy as cp

x = cp.input("x", [(7919 * k) % 4096 for k in range(100)])


def step(i, state, x):
    ring, total, k = state
    total = total + x - ring[k]
    ring[k] = x
    return (ring, total, cp.iif(k == 9, 0, k + 1)), total // 10


_, y = cp.scan(100, step, (cp.vector([0] * 10), 0, 0), x)

tg = cp.Target()
tg.compile(y)
