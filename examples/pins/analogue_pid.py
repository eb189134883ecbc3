"""A PID controller between an analogue input and a pulse width: it holds the voltage of a capacitor.

The pulses charge and discharge the capacitor through a resistor, which together are the plant: as slow as a small
heater, but with nothing that gets hot. docs/pin-examples.md has the wiring. On a Raspberry Pi Pico:

    copaflash start examples/pins/analogue_pid.py --port /dev/ttyUSB0 --bind level=GP26 --bind duty=GP22:pwm,freq=20kHz
    copaflash watch wanted level duty
    copaflash set wanted=2.5 --force     # another set point
    copaflash set kp=4 ki=6              # another controller
    copaflash stop                       # no pulses any more

With a potentiometer, add --bind wanted=GP28: then that is the set point.
"""
import copapy as cp

RATE = 200  # ticks per second
T = 1 / RATE  # s

# An input comes from a pin, or, where it is bound to none, from whoever sets it.
wanted = cp.input("wanted", 1.5, unit="V", low=0, high=3.3)
level = cp.input("level", 0.0, unit="V")

kp = cp.param("kp", 2.0, unit="1/V", low=0, high=20)
ki = cp.param("ki", 3.0, unit="1/(V s)", low=0, high=50)
kd = cp.param("kd", 0.02, unit="s/V", low=0, high=1)
smoothing = cp.param("smoothing", 0.05, unit="s", low=0, high=1)  # of the derivative

with cp.task(rate=RATE, name="control"):
    error = wanted - level

    # The derivative is that of the measurement: a new set point makes no jump. It is smoothed, because the
    # last digit of the converter flickers.
    before = cp.state(0.0, name="before")
    slope = cp.state(0.0, name="slope")
    before.next = level
    slope.next = slope + T / (smoothing + T) * ((level - before) / T - slope)

    integral = cp.state(0.0, name="integral")
    free = kp * error + integral - kd * slope
    cp.output("duty", free, low=0, high=1, safe=0)

    # The integral waits where the output is at a limit and the error would push it further. Else it would go on
    # growing, and the voltage overshoot.
    pushing = ((free > 1) & (error > 0)) | ((free < 0) & (error < 0))
    integral.next = integral + cp.iif(pushing, 0.0, ki * T * error)
    cp.log("error", error, unit="V")

tg = cp.Target()
tg.compile()
