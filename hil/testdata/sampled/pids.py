"""Two PID controllers, each with a set point and a measured value from a converter, and a width of pulses."""
import copapy as cp

Kp, Ki, Kd, N, T = 2.0, 1.0, 0.1, 20.0, 0.01
LIMIT = 1.5
BACK = Ki / Kp

a, b, c, d = [cp.input(name, 0) for name in "abcd"]


def pid(setpoint, measured):
    integral, derivative, last = cp.state(0.0), cp.state(0.0), cp.state(0.0)
    error = setpoint * (3.3 / 4095) - measured * (3.3 / 4095)
    slope = (derivative + Kd * N * (error - last)) / (1 + N * T)
    wanted = Kp * error + integral + slope
    output = cp.clamp(wanted, -LIMIT, LIMIT)
    integral.next = integral + T * (Ki * error + BACK * (output - wanted))
    derivative.next = slope
    last.next = error
    return int(output * 300.0 + 500.0)


tg = cp.Target()
tg.compile(pid(a * 1.0, b * 1.0), pid(c * 1.0, d * 1.0))
tg.run()
