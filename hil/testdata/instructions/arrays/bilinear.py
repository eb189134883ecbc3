import math
import copapy as cp
tab = cp.input('tab', [[math.sin(0.3*i)*math.cos(0.2*k) for k in range(8)] for i in range(8)])
u = cp.input('u', [7.0*k/16 for k in range(16)])
v = cp.input('v', [7.0*(15-k)/16 for k in range(16)])
def one(n, s, row):
    u, v = row
    i = cp.to_int(cp.floor(u))
    j = cp.to_int(cp.floor(v))
    fu, fv = u - cp.to_float(i), v - cp.to_float(j)
    a, b, c, e = tab[i][j], tab[i][j+1], tab[i+1][j], tab[i+1][j+1]
    p = a + (b-a)*fv
    q = c + (e-c)*fv
    return s, p + (q-p)*fu
_, r = cp.scan(16, one, 0, (u, v))
tg = cp.Target()
tg.compile(r)
