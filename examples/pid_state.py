"""The PID controller and plant of pid.py as one tick per run.

What the controller and the plant remember are states: a run reads what the last
one left, and all states take their next values together at its end. 500 runs give
the same numbers as the 500 ticks that pid.py unrolls, from a program of one tick.
"""
import copapy as cp

Kp, Ki, Kd, N, T = 2.0, 1.0, 0.1, 20.0, 0.01
LIMIT = 1.5
BACK = Ki / Kp  # back-calculation gain


class PID:
    def __init__(self):
        self.integral = cp.state(0.0)
        self.derivative = cp.state(0.0)
        self.last_error = cp.state(0.0)

    def tick(self, setpoint, measured):
        error = setpoint - measured
        # derivative through a first-order filter with pole N, backward Euler
        derivative = (self.derivative + Kd * N * (error - self.last_error)) / (1 + N * T)
        wanted = Kp * error + self.integral + derivative
        output = cp.clamp(wanted, -LIMIT, LIMIT)
        self.integral.next = self.integral + T * (Ki * error + BACK * (output - wanted))
        self.derivative.next = derivative
        self.last_error.next = error
        return output


setpoint = cp.value(1.0)
y = cp.state(0.0)
controller = PID()
u = controller.tick(setpoint, y)
y.next = y + 0.02 * (u - y)

tg = cp.Target()
tg.compile(y, u)
tg.run(500)

print(f"y = {tg.read_value(y):.8f}")
print(f"u = {tg.read_value(u):.9f}")

tg.reset()  # and the same again, to another setpoint
tg.write_value(setpoint, -1.0)
tg.run(500)
print(f"y = {tg.read_value(y):.8f} at setpoint -1")
