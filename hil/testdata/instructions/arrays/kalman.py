"""A Kalman filter of 4 states and one measurement."""
import copapy as cp

n = 4
F = cp.input("F", [[float(i == k) + 0.1 * (k == i + 1) for k in range(n)] for i in range(n)])
P = cp.input("P", [[float(i == k) for k in range(n)] for i in range(n)])
x = cp.input("x", [0.1 * k for k in range(n)])
h = cp.input("h", [1.0, 0.5, 0.0, 0.0])
z = cp.input("z", 0.7)


def update(x, P):
    ph = P @ h
    k = ph / (h @ ph + 0.1)
    return x + k * (z - h @ x), P - cp.outer(k, ph)


tg = cp.Target()
tg.compile(*update(F @ x, F @ P @ F.T))
