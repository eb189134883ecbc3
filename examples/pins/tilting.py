"""What imu_filter.py gets without a sensor: a body that rolls to and fro by 30 degrees, and lies level for a while.

    copaflash start examples/pins/imu_filter.py --target local --for 20s --bind sim:plant=examples/pins/tilting.py
"""
import copapy as cp

T = 1 / 200  # s, from tick to tick of the filter
G = 9.81  # m/s2
SWING, PERIOD = 30 * cp.pi / 180, 8.0  # rad, s

shake = cp.param("shake", 0.5, unit="m/s2", low=0, high=5)   # of a machine nearby, 20 times a second
offset = cp.param("offset", 0.05, unit="rad/s", low=-0.5, high=0.5)  # of the gyroscope

ticks = cp.state(0, name="ticks")
ticks.next = ticks + 1
time = ticks * T
phase = time * (2 * cp.pi / PERIOD)
rolling = time % (2 * PERIOD) < PERIOD  # one swing, and as long a rest

roll = cp.iif(rolling, SWING * cp.sin(phase), 0.0)
rate = cp.iif(rolling, SWING * 2 * cp.pi / PERIOD * cp.cos(phase), 0.0)

cp.output("ax", shake * cp.sin(time * (2 * cp.pi * 20)), unit="m/s2")
cp.output("ay", G * cp.sin(roll), unit="m/s2")
cp.output("az", G * cp.cos(roll), unit="m/s2")
cp.output("gx", rate + offset, unit="rad/s")
cp.output("gy", 0.0 * rate - offset, unit="rad/s")
cp.output("gz", 0.0 * rate, unit="rad/s")
cp.output("truth", roll * (180 / cp.pi), unit="deg")

tg = cp.Target()
tg.compile()
