"""A machine that idles, runs and stops, which takes five ticks, by what it is told."""
import copapy as cp

IDLE, RUN, STOP = 0, 1, 2
x = cp.input("x", [k * k // 7 % 5 for k in range(100)])


def step(i, s, x):
    state, ticks = s
    ticks = ticks + 1
    following = cp.where(
        state == IDLE,
        cp.where(x > 2, RUN, IDLE),
        cp.where(state == RUN, cp.where(x == 0, STOP, RUN), cp.where(ticks > 4, IDLE, STOP)),
    )
    ticks = cp.where(following != state, 0, ticks)
    return (following, ticks), following


_, y = cp.scan(100, step, (IDLE, 0), x)

tg = cp.Target()
tg.compile(y)
