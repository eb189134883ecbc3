"""A cart balances a pole by LQR for 10 s, 1000 runs of a program of one tick.

The gain comes from the Riccati equation of the linearised cart, solved here, on the
host, with plain numbers; the target runs the controller and the nonlinear cart.
"""
import copapy as cp

M, m, l, g = 1.0, 0.1, 0.5, 9.81  # cart, pole (kg), length to its mass (m), gravity
T = 0.01                          # s

# State: position, velocity, angle from upright, angular velocity.
A = cp.identity(4) + T * cp.matrix([[0, 1, 0, 0],
                                    [0, 0, -m * g / M, 0],
                                    [0, 0, 0, 1],
                                    [0, 0, (M + m) * g / (M * l), 0]])
B = T * cp.matrix([[0], [1 / M], [0], [-1 / (M * l)]])
Q = cp.diagonal([1.0, 1.0, 10.0, 1.0])
R = cp.matrix([[0.1]])

P = Q
for _ in range(800):
    K = cp.solve(R + B.T @ P @ B, B.T @ P @ A)
    P = Q + A.T @ P @ (A - B @ K)

state = cp.state([0.0, 0.0, 0.3, 0.0])
x, v, angle, rate = state
force = -(K @ state)[0]

s, c = cp.sincos(angle)
a = (force + m * s * (l * rate ** 2 - g * c)) / (M + m * s ** 2)
v1 = v + T * a
rate1 = rate + T * (g * s - a * c) / l
state.next = cp.vector([x + T * v1, v1, angle + T * rate1, rate1])

tg = cp.Target()
tg.compile(state, force)
for second in range(1, 11):
    tg.run(100)
    if second in (1, 3, 10):
        print(f"after {second:2} s:", *(f"{round(e, 4) + 0.0:.4f}" for e in tg.read_value(state)))
