"""Madgwick's orientation filter: gyroscope and accelerometer into a quaternion.

The correction step is the gradient of the error between the measured and the
expected direction of gravity, from cp.grad. Sensors and filter are one program: a
body turns about its x axis, the gyroscope has an offset, the filter starts wrong.
"""
import copapy as cp

T, BETA = 0.01, 0.1      # s, gain of the correction
RATE, OFFSET = 0.2, 0.02  # rad/s: the turn, the error of the gyroscope

angle = cp.state(0.5)    # the truth, rad
angle.next = angle + RATE * T
gyro = cp.vector([RATE + OFFSET, 0.0, 0.0])
accel = cp.vector([0.0, cp.sin(angle), cp.cos(angle)])

orientation = cp.state([1.0, 0.0, 0.0, 0.0])
q = cp.quaternion(orientation)

gravity = q.conjugate().rotate_vector(cp.vector([0.0, 0.0, 1.0]))
error = ((gravity - accel) ** 2).sum()
downhill = cp.grad(error, q).normalize()
turn = 0.5 * (q @ cp.quaternion(0.0, *gyro))
q = (q + T * (turn - BETA * downhill)).normalize()
orientation.next = cp.vector(q)

tg = cp.Target()
tg.compile(orientation, angle)
for ticks in (50, 250, 700):
    tg.run(ticks)
    roll, pitch, yaw = cp.quaternion(tg.read_value(orientation)).toEulerAngles()
    print(f"roll {roll:.3f}, truth {tg.read_value(angle):.3f}, pitch {abs(pitch):.3f}, yaw {abs(yaw):.3f}")
