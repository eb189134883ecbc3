"""A motor with a flywheel, the plant of speed_controller.py: one tick is a millisecond."""
import copapy as cp

T = 0.001  # s
R, L, K = 1.2, 0.002, 0.05  # Ohm, H, N m/A
J, FRICTION = 2e-4, 1e-4  # kg m^2, N m s

voltage = cp.input("voltage", unit="V")
load = cp.param("load", 0.01, unit="N m")
current = cp.state(0.0, name="current")
speed = cp.state(0.0, name="turning")

current.next = current + T / L * (voltage - R * current - K * speed)
speed.next = speed + T / J * (K * current - FRICTION * speed - load)

cp.output("speed", speed, unit="rad/s")

tg = cp.Target()
tg.compile()
