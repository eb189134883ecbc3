"""The plant of encoder_speed.py, without a board: a geared motor with an encoder.

    copaflash start examples/pins/encoder_speed.py --target local --for 10s --bind position=sim:plant=examples/pins/geared_motor.py
"""
import copapy as cp

T = 1 / 100  # s, from tick to tick of the controller
TOP, SLOW, FRICTION = 16.0, 0.08, 1.0  # rad/s without load, s for two thirds of it, rad/s that friction takes
COUNTS = 1632  # of a turn

drive = cp.input("drive")
forward = cp.input("forward", False)
load = cp.param("load", 0.0, unit="rad/s", low=0, high=10)

speed = cp.state(0.0, name="shaft")
angle = cp.state(0.0, name="angle")

driven = cp.iif(forward, drive, -drive) * TOP
# Friction brakes, but turns nothing.
pushed = driven - cp.clamp(4 * speed, -(FRICTION + load), FRICTION + load)
speed.next = speed + (pushed - speed) * (T / SLOW)
angle.next = angle + speed * T
cp.output("position", int(cp.floor(angle * (COUNTS / (2 * cp.pi)))), unit="counts")

tg = cp.Target()
tg.compile()
