"""A network of 8, 16, 16 and 4 neurons with rectifiers."""
import math

import copapy as cp

def layer(name, rows, cols):
    w = cp.input("w" + name, [[math.sin(1.3 * (cols * i + k)) for k in range(cols)] for i in range(rows)])
    return w, cp.input("b" + name, [math.cos(0.7 * i) for i in range(rows)])


x = cp.input("x", [math.sin(k) for k in range(8)])
(w1, b1), (w2, b2), (w3, b3) = layer("1", 16, 8), layer("2", 16, 16), layer("3", 4, 16)

tg = cp.Target()
tg.compile(w3 @ cp.relu(w2 @ cp.relu(w1 @ x + b1) + b2) + b3)

