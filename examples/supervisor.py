"""A drive with a supervisor: a table of transitions, gains by gear, a ramp, a stall guard.

Tables are arrays, and what is computed on the target is their index: the mode and what
happened give the next mode, the speed gives the gear and the gear the gains.
"""
import copapy as cp

T, INERTIA, FRICTION = 0.001, 0.05, 0.2     # s, kg m^2, N m s
LIMIT, RAMP, PATIENCE = 4.0, 20.0, 200      # N m, rad/s^2, ticks at the limit

IDLE, RUN, FAULT = range(3)                 # modes
NOTHING, START, STOP, STALL = range(4)      # events
NEXT = cp.array([[IDLE, RUN, IDLE, IDLE],
                 [RUN, RUN, IDLE, FAULT],
                 [FAULT, FAULT, IDLE, FAULT]])

FROM_SPEED = cp.array([2.0, 6.0])           # rad/s, where the next gear begins
KP = cp.array([0.5, 0.8, 1.2])
KI = cp.array([4.0, 6.0, 8.0])

event, wanted, load = cp.value(NOTHING), cp.value(10.0), cp.value(0.5)
mode, stalled = cp.state(IDLE), cp.state(0)
speed, reference, integral = cp.state(0.0), cp.state(0.0), cp.state(0.0)

gear = cp.searchsorted(FROM_SPEED, cp.abs(speed), side="right")
error = reference - speed
demand = KP[gear] * error + integral
running = mode == RUN
torque = cp.where(running, cp.clip(demand, -LIMIT, LIMIT), 0.0)
limited = running & (torque != demand)

ramped = reference + cp.clip(wanted - reference, -RAMP * T, RAMP * T)
reference.next = cp.where(running, ramped, 0.0)
pushing = (demand - torque) * error > 0
integral.next = cp.where(pushing, integral, cp.where(running, integral + KI[gear] * T * error, 0.0))
braking = FRICTION * speed + load * cp.clip(speed / 0.1, -1, 1)
speed.next = speed + T / INERTIA * (torque - braking)
stalled.next = cp.where(limited, stalled + 1, 0)
mode.next = NEXT[mode, cp.where(stalled > PATIENCE, STALL, event)]

tg = cp.Target()
tg.compile(mode, speed, gear, torque)


def during(ticks, what, **values):
    for name, value in values.items():
        tg.write_value({"event": event, "wanted": wanted, "load": load}[name], value)
    tg.run(ticks)
    print(f"{what:12}", f"{['idle', 'run', 'fault'][tg.read_value(mode)]:5}",
          f"{tg.read_value(speed):8.4f} rad/s in gear {tg.read_value(gear)}, {tg.read_value(torque):7.4f} N m")


during(100, "before")
during(200, "start", event=START)
during(800, "ramp", event=NOTHING)
during(2000, "at speed", load=1.0)
during(1000, "overload", load=9.0)
during(500, "new start", event=START, load=0.5)
during(1, "stop", event=STOP)
