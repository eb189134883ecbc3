"""A switch that follows its input once that has been another one for three samples."""
import copapy as cp

x = cp.input("x", [k * 7919 % 4001 % 3 for k in range(100)])


def step(i, s, x):
    count, state = s
    count = cp.where(x == state, 0, count + 1)
    flip = count >= 3
    state = cp.where(flip, x, state)
    return (cp.where(flip, 0, count), state), state


_, y = cp.scan(100, step, (0, 0), x)

tg = cp.Target()
tg.compile(y)
