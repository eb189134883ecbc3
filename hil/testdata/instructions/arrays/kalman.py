"""A step of a Kalman filter of four states that measures a number."""
import copapy as cp

n = 4
f = cp.input("f", [[float(i == k) + 0.1 * (k == i + 1) for k in range(n)] for i in range(n)])
p = cp.input("p", [[float(i == k) for k in range(n)] for i in range(n)])
x = cp.input("x", [0.1 * k for k in range(n)])
h = cp.input("h", [1.0, 0.5, 0.0, 0.0])
z = cp.input("z", 0.7)

x1, p1 = f @ x, f @ p @ f.T
ph = p1 @ h
k = ph / (h @ ph + 0.1)

tg = cp.Target()
tg.compile(x1 + k * (z - h @ x1), p1 - cp.outer(k, ph))
