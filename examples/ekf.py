"""An extended Kalman filter follows a swinging pendulum by a noisy angle sensor.

The model is linearised at each tick by its Jacobian, which is derived, not written
down. State and covariance are states of the program: one run is one tick.
"""
import math

import copapy as cp

T, g, l = 0.02, 9.81, 1.0         # s, m/s^2, m
Q = cp.diag([1e-6, 1e-4])         # what the model leaves out
R = 0.05 ** 2                     # of the sensor, rad^2


def model(x):
    angle, rate = x
    return cp.vector([angle + T * rate, rate - T * g / l * cp.sin(angle)])


measured = cp.value(0.0)
x = cp.state([0.0, 0.0])          # it starts without knowing where the pendulum is
P = cp.state(cp.eye(2))

ahead = model(x)
F = cp.jacobian(ahead, x)
P_ahead = F @ P @ F.T + Q
gain = P_ahead[:, 0] / (P_ahead[0, 0] + R)
x.next = ahead + gain * (measured - ahead[0])
P.next = P_ahead - cp.outer(gain, P_ahead[0])

tg = cp.Target()
tg.compile(x, P)

# The pendulum and its sensor, on the host; the noise is that of a simple generator.
angle, rate, seed = 0.5, 0.0, 1
for tick in range(1, 151):
    angle, rate = angle + T * rate, rate - T * g / l * math.sin(angle)
    seed = (seed * 1664525 + 1013904223) % 2 ** 32
    tg.write_value(measured, angle + 0.1 * (seed / 2 ** 32 - 0.5))
    tg.run()
    if tick % 50 == 0:
        estimate = tg.read_value(x)
        print(f"after {tick // 50} s: angle {estimate[0]:+.4f} ({angle:+.4f}), rate {estimate[1]:+.4f} ({rate:+.4f})")
