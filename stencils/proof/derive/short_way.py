"""Prints the constants of the short way of sine and cosine (needs mpmath):
minimax polynomials in z = r^2 by Remez exchange, and pi/2 in two parts."""

from mpmath import cos, log, lu_solve, matrix, mp, mpf, nint, pi, sign, sin, sqrt

mp.prec = 200
GRID = 600


def remez(f, weight, terms, low, high):
    """Coefficients c1..cn of c1 z + ... + cn z^n near f, and the largest
    weighted error."""
    n = terms
    points = [(low + high) / 2 - (high - low) / 2 * cos(pi * k / n) for k in range(n + 1)]
    grid = [low + (high - low) * mpf(k) / GRID for k in range(GRID + 1)]
    for _ in range(30):
        a, b = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, z in enumerate(points):
            for j in range(n):
                a[i, j] = z ** (j + 1) * weight(z)
            a[i, n] = (-1) ** i
            b[i] = f(z) * weight(z)
        c = list(lu_solve(a, b)[:n])
        error = [(f(z) - sum(k * z ** (j + 1) for j, k in enumerate(c))) * weight(z) for z in grid]
        peaks = []  # one per run of equal sign: the largest
        for k, e in enumerate(error):
            if peaks and sign(error[peaks[-1]]) == sign(e):
                if abs(e) > abs(error[peaks[-1]]):
                    peaks[-1] = k
            else:
                peaks.append(k)
        while len(peaks) > n + 1:
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        if len(peaks) <= n:
            break
        points = [grid[k] for k in peaks]
    return c, max(abs(e) for e in error)


end = (pi / 4 * (1 + mpf(2) ** -20)) ** 2
for name, f, weight in (
    ("sin r / r - 1", lambda z: sin(sqrt(z)) / sqrt(z) - 1, lambda z: sqrt(z) / sin(sqrt(z))),
    ("cos r - 1", lambda z: cos(sqrt(z)) - 1, lambda z: 1 / cos(sqrt(z))),
):
    c, error = remez(f, weight, 5, mpf(2) ** -40, end)
    print(name, "relative error 2^%.1f" % float(log(error, 2)))
    for k in c:
        print("   ", float(k).hex())

head = nint(pi / 2 * 2**32) / 2**32
print("pi/2 head", float(head).hex(), "rest", float(pi / 2 - head).hex(), "2/pi", float(2 / pi).hex())
