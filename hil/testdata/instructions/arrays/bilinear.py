"""Bilinear interpolation in a table of 8 times 8 numbers at 16 points."""
import math

import copapy as cp

table = cp.input("table", [[math.sin(0.3 * i) * math.cos(0.2 * k) for k in range(8)] for i in range(8)])
u = cp.input("u", [7.0 * k / 16 for k in range(16)])
v = cp.input("v", [7.0 * (15 - k) / 16 for k in range(16)])


def at(n, s, row):
    u, v = row
    i, j = cp.to_int(cp.floor(u)), cp.to_int(cp.floor(v))
    fu, fv = u - cp.to_float(i), v - cp.to_float(j)
    a, b, c, e = table[i][j], table[i][j + 1], table[i + 1][j], table[i + 1][j + 1]
    p = a + (b - a) * fv
    q = c + (e - c) * fv
    return s, p + (q - p) * fu


_, y = cp.scan(16, at, 0, (u, v))

tg = cp.Target()
tg.compile(y)
