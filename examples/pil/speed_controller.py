"""A controller of a motor's speed, for a run in lockstep with the motor of motor.py:

    copaflash pil examples/pil/speed_controller.py examples/pil/motor.py --ticks 1000
"""
import copapy as cp

T = 0.001  # s, from tick to tick
LIMIT = 12.0  # V

kp = cp.param("kp", 0.4, unit="V/(rad/s)")
ki = cp.param("ki", 6.0, unit="V/rad")
wanted = cp.param("wanted", 20.0, unit="rad/s")
speed = cp.input("speed", unit="rad/s")

error = wanted - speed
integral = cp.state(0.0, name="integral")
free = kp * error + integral
voltage = cp.clamp(free, -LIMIT, LIMIT)
# The integral waits while the voltage is at its limit and the error pushes it further; an error of the other sign
# brings it back.
pushing = (free - voltage) * error > 0
integral.next = integral + cp.iif(pushing, 0.0, ki * T * error)

cp.output("voltage", voltage, unit="V", safe=0)
cp.output("error", error, unit="rad/s")

tg = cp.Target()
tg.compile()
