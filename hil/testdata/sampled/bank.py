"""A filter of second order for each of four inputs, and the sums of two and two."""
import copapy as cp

B0, B1, B2, A1, A2 = 0.0675, 0.1349, 0.0675, -1.143, 0.4128

a, b, c, d = [cp.input(name, 0) for name in "abcd"]


def low_pass(raw):
    first, second = cp.state(0.0), cp.state(0.0)
    x = raw * (3.3 / 4095)
    y = B0 * x + first
    first.next = B1 * x - A1 * y + second
    second.next = B2 * x - A2 * y
    return y


tg = cp.Target()
tg.compile(int((low_pass(a) + low_pass(b)) * 300.0), int((low_pass(c) + low_pass(d)) * 300.0))
tg.run()
