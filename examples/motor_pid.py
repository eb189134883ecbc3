"""A cascaded controller of a DC motor, with the motor simulated beside it.

The outer task runs 100 times a second and turns the error of the speed into the
current that is wanted; the inner one runs 1000 times a second and turns the error of
the current into a voltage. Each is a PI controller with anti-windup.

Here 3000 ticks run one after the other, so that the numbers are the same on every
target. In real time, watched and tuned while it runs:

    copaflash deploy examples/motor_pid.py --port /dev/ttyACM0 --rate 1kHz
    copaflash watch
    copaflash set speed_ref=80 kp_speed=0.3
"""
import copapy as cp

OUTER, INNER = 0.01, 0.001                     # seconds from run to run
R, L, K, J, B = 0.5, 2e-3, 0.05, 2e-4, 1e-4    # ohm, H, V s/rad, kg m2, N m s/rad

speed_ref = cp.input("speed_ref", 100.0, unit="rad/s", low=-300, high=300)
load = cp.input("load", 0.0, unit="N m", low=-1, high=1)
kp_speed = cp.param("kp_speed", 0.2, unit="A s/rad", low=0, high=5)
ki_speed = cp.param("ki_speed", 1.0, unit="A/rad", low=0, high=50)
kp_current = cp.param("kp_current", 1.0, unit="V/A", low=0, high=10)
ki_current = cp.param("ki_current", 250.0, unit="V/(A s)", low=0, high=5000)

speed = cp.state(0.0, name="motor.speed")
current = cp.state(0.0, name="motor.current")


def pi_controller(error, kp, ki, period, low, high, name):
    """A PI controller whose integral waits while its output is at a limit and the error pushes it further."""
    integral = cp.state(0.0, name=name + ".integral")
    wanted = kp * error + integral
    given = cp.clamp(wanted, low, high)
    pushing = (wanted - given) * error > 0
    integral.next = integral + cp.iif(pushing, 0.0, ki * period * error)
    return given


with cp.task(rate=1 / OUTER, name="outer"):
    current_ref = pi_controller(speed_ref - speed, kp_speed, ki_speed, OUTER, -20.0, 20.0, "outer")
    cp.log("current_ref", current_ref, every=10, unit="A")

with cp.task(rate=1 / INNER, name="inner"):
    wanted = pi_controller(current_ref - current, kp_current, ki_current, INNER, -24.0, 24.0, "inner")
    voltage = cp.output("voltage", wanted, unit="V", low=-24, high=24, safe=0)

    # The motor.
    current.next = current + INNER / L * (voltage - R * current - K * speed)
    speed.next = speed + INNER / J * (K * current - B * speed - load)
    cp.log("speed", speed, every=10, unit="rad/s")
    cp.log("current", current, every=10, unit="A")

tg = cp.Target()
tg.compile()


def report(when):
    w, i, u = tg.get("speed", "current", "voltage")
    print(f"{when}: {w:8.3f} rad/s {i:8.4f} A {u:8.4f} V")


tg.run(100)
report("after 0.1 s        ")
tg.run(900)
report("at full speed      ")
tg.set(load=0.2)
tg.run(100)
report("just loaded        ")
tg.run(900)
report("loaded             ")
tg.set(load=0.0, speed_ref=-50.0, kp_speed=0.4)
tg.run(1000)
report("the other way round")
