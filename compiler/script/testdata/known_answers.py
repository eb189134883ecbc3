"""The answers of the examples by plain Python in double precision.

python3 known_answers.py NAME prints what examples/NAME.py must print. Nothing here
comes from this project: matrices are lists of rows.
"""
import math
import sys


def mul(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def add(a, b, scale=1.0):
    return [[x + scale * y for x, y in zip(p, q)] for p, q in zip(a, b)]


def times(a, s):
    return [[x * s for x in row] for row in a]


def transposed(a):
    return [list(c) for c in zip(*a)]


def diagonal(v):
    return [[v[i] if i == j else 0.0 for j in range(len(v))] for i in range(len(v))]


def identity(n):
    return diagonal([1.0] * n)


def apply(a, v):
    return [sum(x * y for x, y in zip(row, v)) for row in a]


def inverse(a):
    n = len(a)
    a = [list(map(float, row)) + one for row, one in zip(a, identity(n))]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[p] = a[p], a[k]
        a[k] = [e / a[k][k] for e in a[k]]
        for i in range(n):
            if i != k:
                a[i] = [x - a[i][k] * y for x, y in zip(a[i], a[k])]
    return [row[n:] for row in a]


def cartpole():
    M, m, l, g, T = 1.0, 0.1, 0.5, 9.81, 0.01
    A = [[1, T, 0, 0], [0, 1, -T * m * g / M, 0], [0, 0, 1, T], [0, 0, T * (M + m) * g / (M * l), 1]]
    B = [[0], [T / M], [0], [-T / (M * l)]]
    Q, P = diagonal([1.0, 1.0, 10.0, 1.0]), diagonal([1.0, 1.0, 10.0, 1.0])
    At, Bt = transposed(A), transposed(B)
    for _ in range(1500):
        s = 0.1 + mul(mul(Bt, P), B)[0][0]
        K = times(mul(mul(Bt, P), A), 1 / s)
        P = add(Q, mul(mul(At, P), add(A, mul(B, K), -1)))
    x, v, angle, rate = 0.0, 0.0, 0.3, 0.0
    for tick in range(1, 1001):
        force = -apply(K, [x, v, angle, rate])[0]
        s, c = math.sin(angle), math.cos(angle)
        a = (force + m * s * (l * rate * rate - g * c)) / (M + m * s * s)
        v, rate = v + T * a, rate + T * (g * s - a * c) / l
        x, angle = x + T * v, angle + T * rate
        if tick in (100, 300, 1000):
            print(f"after {tick // 100:2} s:", *(f"{round(e, 4) + 0.0:.4f}" for e in (x, v, angle, rate)))


def vehicle():
    T, q = 1.0, 0.04
    axis = [[1, T, T * T / 2], [0, 1, T], [0, 0, 1]]
    n = [T * T / 2, T, 1]
    zero = [0, 0, 0]
    F = [r + zero for r in axis] + [zero + r for r in axis]
    noise = [[a * b * q for b in n] for a in n]
    Q = [r + zero for r in noise] + [zero + r for r in noise]
    H = [[1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]]
    x, P = [0.0] * 6, times(identity(6), 500.0)
    for z in [(301.5, -401.46), (298.23, -375.44), (297.83, -346.15), (300.42, -320.2),
              (301.94, -300.08), (299.5, -274.12), (305.98, -253.45), (301.25, -226.4),
              (299.73, -200.65), (299.2, -171.62), (298.62, -152.11), (301.84, -125.19),
              (299.6, -93.4), (295.3, -74.79), (299.3, -49.12), (301.95, -28.73)]:
        x, P = apply(F, x), add(mul(mul(F, P), transposed(F)), Q)
        S = add(mul(mul(H, P), transposed(H)), diagonal([9.0, 9.0]))
        K = mul(mul(P, transposed(H)), inverse(S))
        x = [a + b for a, b in zip(x, apply(K, [z[0] - x[0], z[1] - x[3]]))]
        P = mul(add(identity(6), mul(K, H), -1), P)
    print("position:", *(f"{e:.2f}" for e in x[::3]))
    print("velocity:", *(f"{e:.2f}" for e in x[1::3]))
    print("acceleration:", *(f"{e:.3f}" for e in x[2::3]))
    print("variances:", *(f"{P[i][i]:.2f}" for i in range(3)))


def madgwick():
    T, beta, rate, offset = 0.01, 0.1, 0.2, 0.02
    # Everything happens about the x axis: w + xi, gravity measured in the y-z plane.
    w, x, angle = 1.0, 0.0, 0.5
    for tick in range(1, 1001):
        ay, az = math.sin(angle), math.cos(angle)
        # error = (2wx - ay)^2 + (w^2 - x^2 - az)^2 for length 1; what points along
        # (w, x) itself is no error of direction and is taken out
        ey, ez = 2 * w * x - ay, w * w - x * x - az
        gw, gx = 4 * x * ey + 4 * w * ez, 4 * w * ey - 4 * x * ez
        along = gw * w + gx * x
        gw, gx = gw - along * w, gx - along * x
        n = math.hypot(gw, gx) + 1e-20
        r = 0.5 * (rate + offset)
        w, x = w + T * (-x * r - beta * gw / n), x + T * (w * r - beta * gx / n)
        n = math.hypot(w, x)
        w, x = w / n, x / n
        angle += rate * T
        if tick in (50, 300, 1000):
            print(f"roll {2 * math.atan2(x, w):.3f}, truth {angle:.3f}, pitch 0.000, yaw 0.000")


def mlp():
    step = math.pi / 16
    print(" x     sine   cosine  slope")
    for i in range(8):
        x = 0.4 * i
        a = math.floor(x / step) * step
        line = [f(a) + (f(a + step) - f(a)) / step * (x - a) for f in (math.sin, math.cos)]
        slope = (math.sin(a + step) - math.sin(a)) / step if x > 0 else 0.0  # relu'(0) = 0
        print(f"{x:.1f}  {line[0]:7.4f}  {line[1]:7.4f}  {slope:7.4f}")


def mpc():
    T, N, g, mass, inertia = 0.05, 5, 9.81, 0.5, [0.004, 0.004, 0.008]
    limits, rho = [2.0, 0.02, 0.02, 0.02], 0.5
    A, B = identity(12), [[0.0] * 4 for _ in range(12)]
    for i in range(3):
        A[i][3 + i] = A[6 + i][9 + i] = T
        B[9 + i][1 + i] = T / inertia[i] * limits[1 + i]
    A[3][7], A[4][6] = T * g, -T * g
    B[5][0] = T / mass * limits[0]
    weights = [10, 10, 10, 1, 1, 1, 1, 1, 1, 0.1, 0.1, 0.1]
    x0 = [0.5, -0.3, 1.0, 0, 0, 0, 0.1, 0, 0.2, 0, 0, 0.5]

    def predict(x, u):
        """The states of the next N ticks."""
        out = []
        for k in range(N):
            x = [a + b for a, b in zip(apply(A, x), apply(B, u[4 * k:4 * k + 4]))]
            out += x
        return out

    n = 4 * N
    free = predict(x0, [0.0] * n)
    effect = transposed([predict([0.0] * 12, [float(i == j) for i in range(n)]) for j in range(n)])
    W = diagonal(weights * N)
    EtW = mul(transposed(effect), W)
    f = apply(EtW, free)
    inv = inverse(add(mul(EtW, effect), identity(n), 0.1 + rho))
    z, y = [0.0] * n, [0.0] * n
    for _ in range(15):
        u = apply(inv, [rho * (a - b) - c for a, b, c in zip(z, y, f)])
        z = [min(max(a + b, -1.0), 1.0) for a, b in zip(u, y)]
        y = [b + a - c for a, b, c in zip(u, y, z)]
    print("thrust and torques:", *(f"{a * b:.4f}" for a, b in zip(z[:4], limits)))
    print("at a limit:", sum(abs(e) == 1 for e in z), "of", n)


def ekf():
    T, g, l, R = 0.02, 9.81, 1.0, 0.05 ** 2
    Q, P, x = diagonal([1e-6, 1e-4]), identity(2), [0.0, 0.0]
    angle, rate, seed = 0.5, 0.0, 1
    for tick in range(1, 151):
        angle, rate = angle + T * rate, rate - T * g / l * math.sin(angle)
        seed = (seed * 1664525 + 1013904223) % 2 ** 32
        z = angle + 0.1 * (seed / 2 ** 32 - 0.5)
        F = [[1, T], [-T * g / l * math.cos(x[0]), 1]]
        ahead = [x[0] + T * x[1], x[1] - T * g / l * math.sin(x[0])]
        P = add(mul(mul(F, P), transposed(F)), Q)
        K = [[P[0][0] / (P[0][0] + R)], [P[1][0] / (P[0][0] + R)]]
        x = [a + k[0] * (z - ahead[0]) for a, k in zip(ahead, K)]
        P = mul(add(identity(2), mul(K, [[1, 0]]), -1), P)
        if tick % 50 == 0:
            print(f"after {tick // 50} s: angle {x[0]:+.4f} ({angle:+.4f}), rate {x[1]:+.4f} ({rate:+.4f})")


def supervisor():
    T, J = 0.001, 0.05
    mode, stalled, speed, reference, integral = "idle", 0, 0.0, 0.0, 0.0
    for what, ticks, event, load in [("before", 100, None, 0.5), ("start", 200, "run", 0.5), ("ramp", 800, None, 0.5),
                                     ("at speed", 2000, None, 1.0), ("overload", 1000, None, 9.0),
                                     ("new start", 500, "run", 0.5), ("stop", 1, "idle", 0.5)]:
        for _ in range(ticks):
            gear = 0 if abs(speed) < 2 else 1 if abs(speed) < 6 else 2
            kp, ki = [(0.5, 4.0), (0.8, 6.0), (1.2, 8.0)][gear]
            error, running = reference - speed, mode == "run"
            demand = kp * error + integral
            torque = max(-4.0, min(4.0, demand)) if running else 0.0
            limited = running and torque != demand
            if stalled > 200:
                mode = "fault" if mode != "idle" else "idle"
            elif mode != "fault" or event == "idle":
                mode = event or mode
            if not running:
                reference = integral = 0.0
            else:
                reference += max(-0.02, min(0.02, 10.0 - reference))
                if not limited:
                    integral += ki * T * error
            speed += T / J * (torque - 0.2 * speed - load * max(-1.0, min(1.0, speed / 0.1)))
            stalled = stalled + 1 if limited else 0
        print(f"{what:12} {mode:5} {speed:8.4f} rad/s in gear {gear}, {torque:7.4f} N m")


{f.__name__: f for f in (cartpole, vehicle, madgwick, mlp, mpc, ekf, supervisor)}[sys.argv[1]]()
