"""Tuning a PI controller: what a step of the setpoint costs for a pair of gains.

The plant is a motor with a delay of its current: T1 = 0.5 s, T2 = 0.1 s, sampled at
T = 10 ms. The cost is the integral of the squared error and a little of the squared
change of the output; the overshoot is how far the speed goes beyond the setpoint.

    copaflash sweep examples/tuning.py --set kp=0.5:12:60 --set ki=0:20:60 --get cost \\
        -o tuning.csv --plot tuning.svg
"""
import copapy as cp

T, T1, T2 = 0.01, 0.5, 0.1
STEPS = 300

kp = cp.value(3.0)
ki = cp.value(5.0)
setpoint = cp.value(1.0)


def tick(_, now):
    speed, current, integral, last, cost, highest = now
    error = setpoint - speed
    integral += T * ki * error
    output = kp * error + integral
    cost += T * (error * error + 0.001 * (output - last) ** 2)
    current += T / T2 * (output - current)
    speed += T / T1 * (current - speed)
    return speed, current, integral, output, cost, cp.maximum(highest, speed)


speed, current, integral, last, cost, highest = cp.fori(STEPS, tick, (0.0,) * 6)
overshoot = cp.maximum(highest / setpoint - 1.0, 0.0)

tg = cp.Target()
tg.compile(cost, overshoot)
tg.run()

print(f"cost = {tg.read_value(cost):.6f}")
print(f"overshoot = {tg.read_value(overshoot):.6f}")
