"""Kalman filter of a vehicle: six states, a position measured each second.

The state is position, velocity and acceleration in x and y. One run of the program
takes one measurement; the estimate and its covariance stay on the target.
"""
import copapy as cp

T = 1.0         # s between measurements
SIGMA_Z = 3.0   # standard deviation of a measured position, m
SIGMA_A = 0.2   # of the change of acceleration from one to the next, m/s^2

axis = cp.matrix([[1, T, T * T / 2], [0, 1, T], [0, 0, 1]])
none = cp.zeros((3, 3))
F = cp.concat([cp.concat([axis, none], axis=1), cp.concat([none, axis], axis=1)])
noise = cp.outer([T * T / 2, T, 1], [T * T / 2, T, 1]) * SIGMA_A ** 2
Q = cp.concat([cp.concat([noise, none], axis=1), cp.concat([none, noise], axis=1)])
H = cp.matrix([[1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]])
R = cp.identity(2) * SIGMA_Z ** 2

z = cp.vector([cp.value(0.0), cp.value(0.0)])  # the measurement, m
x = cp.state([0.0] * 6)
P = cp.state(cp.identity(6) * 500.0)

x_predicted = F @ x
P_predicted = F @ P @ F.T + Q
S = H @ P_predicted @ H.T + R
gain = cp.solve(S, H @ P_predicted).T
x.next = x_predicted + gain @ (z - H @ x_predicted)
keep = cp.identity(6) - gain @ H
P.next = keep @ P_predicted @ keep.T + gain @ R @ gain.T  # stays symmetric and positive

measured = [(301.5, -401.46), (298.23, -375.44), (297.83, -346.15), (300.42, -320.2),
            (301.94, -300.08), (299.5, -274.12), (305.98, -253.45), (301.25, -226.4),
            (299.73, -200.65), (299.2, -171.62), (298.62, -152.11), (301.84, -125.19),
            (299.6, -93.4), (295.3, -74.79), (299.3, -49.12), (301.95, -28.73)]

tg = cp.Target()
tg.compile(x, P)
for position in measured:
    tg.write_value(z, position)
    tg.run()

print("position:", *(f"{e:.2f}" for e in tg.read_value(x)[::3]))
print("velocity:", *(f"{e:.2f}" for e in tg.read_value(x)[1::3]))
print("acceleration:", *(f"{e:.3f}" for e in tg.read_value(x)[2::3]))
print("variances:", *(f"{tg.read_value(P)[i, i]:.2f}" for i in range(3)))
