"""The speed of a DC motor with an encoder, held by a PI controller.

A timer of the chip counts the edges of the encoder; a motor driver takes pulses for how strong, and a level for
which way. docs/pin-examples.md has the wiring, and what to mind of the motor's supply. On a Netduino Plus 2:

    copaflash start examples/pins/encoder_speed.py --port /dev/ttyUSB0 --misses 20 --bind position=D8:encoder --bind drive=D5:pwm,freq=20kHz --bind forward=D4
    copaflash watch wanted speed drive
    copaflash set wanted=-5 --force      # the other way round
    copaflash set kp=0.05 ki=0.8
    copaflash stop                       # the motor is without current
"""
import copapy as cp

RATE = 100  # ticks per second
T = 1 / RATE  # s
COUNTS = 1632  # of a turn of the shaft: 12 periods of the encoder, 4 edges each, by a gear of 34

wanted = cp.input("wanted", 8.0, unit="rad/s", low=-15, high=15)
position = cp.input("position", 0, unit="counts")

kp = cp.param("kp", 0.03, unit="s/rad", low=0, high=1)
ki = cp.param("ki", 0.6, unit="1/rad", low=0, high=10)

with cp.task(rate=RATE, name="control"):
    # Speed is counts from tick to tick. They are whole numbers: a slow motor gives 0, 1, 0, 0, 1, so that
    # the speed is smoothed a little.
    before = cp.state(0, name="before")
    before.next = position
    turning = cp.state(0.0, name="turning")
    speed = turning + 0.5 * ((position - before) * (2 * cp.pi / COUNTS / T) - turning)
    turning.next = speed
    cp.log("speed", speed, unit="rad/s")

    # A PI controller. Its integral waits where the motor gets all there is and the error asks for more.
    error = wanted - speed
    integral = cp.state(0.0, name="integral")
    free = kp * error + integral
    pushing = ((free > 1) & (error > 0)) | ((free < -1) & (error < 0))
    integral.next = integral + cp.iif(pushing, 0.0, ki * T * error)
    effort = cp.clamp(free, -1.0, 1.0)

    # What the driver gets. Both are off when the loop ends: the motor runs down.
    cp.output("drive", cp.abs(effort), low=0, high=1, safe=0)
    cp.output("forward", effort >= 0, safe=0)

tg = cp.Target()
tg.compile()
