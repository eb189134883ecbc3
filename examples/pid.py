"""PID controller with a filtered derivative and anti-windup, with its plant.

The controller runs at T = 10 ms against the plant y += 0.02 (u - y); the output
is limited to +-1.5 and the integrator is held back by what the limit cut off.
500 ticks are one program.
"""
import copapy as cp

Kp, Ki, Kd, N, T = 2.0, 1.0, 0.1, 20.0, 0.01
LIMIT = 1.5
BACK = Ki / Kp  # back-calculation gain


class PID:
    def __init__(self):
        self.integral = 0.0
        self.derivative = 0.0
        self.last_error = 0.0

    def tick(self, setpoint, measured):
        error = setpoint - measured
        # derivative through a first-order filter with pole N, backward Euler
        self.derivative = (self.derivative + Kd * N * (error - self.last_error)) / (1 + N * T)
        wanted = Kp * error + self.integral + self.derivative
        output = cp.clamp(wanted, -LIMIT, LIMIT)
        self.integral += T * (Ki * error + BACK * (output - wanted))
        self.last_error = error
        return output


setpoint = cp.value(1.0)
y = cp.value(0.0)
controller = PID()

for _ in range(500):
    u = controller.tick(setpoint, y)
    y = y + 0.02 * (u - y)

tg = cp.Target()
tg.compile(y, u)
tg.run()

print(f"y = {tg.read_value(y):.8f}")
print(f"u = {tg.read_value(u):.9f}")
