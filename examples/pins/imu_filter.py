"""Roll and pitch by an MPU-6050: Mahony's filter of a gyroscope and an accelerometer.

The gyroscope is fast but drifts; the accelerometer knows where up is, but every jolt disturbs it. The filter turns
its idea of up by the gyroscope, and leads it slowly to what the accelerometer says. docs/pin-examples.md has the
wiring. On a Raspberry Pi Pico, whose LED is lit while the sensor lies level:

    copaflash start examples/pins/imu_filter.py --port /dev/ttyUSB0 --bind level=LED --bind ax=I2C0:mpu6050.ax --bind ay=I2C0:mpu6050.ay --bind az=I2C0:mpu6050.az --bind gx=I2C0:mpu6050.gx --bind gy=I2C0:mpu6050.gy --bind gz=I2C0:mpu6050.gz
    copaflash watch roll pitch
    copaflash set trust=0.5
    copaflash record roll pitch --for 10s -o tilt.csv
    copaflash stop
"""
import copapy as cp

RATE = 200  # ticks per second
T = 1 / RATE  # s
G = 9.81  # m/s2
DEGREES = 180 / cp.pi

ax, ay, az = [cp.input(name, value, unit="m/s2") for name, value in (("ax", 0.0), ("ay", 0.0), ("az", G))]
gx, gy, gz = [cp.input(name, 0.0, unit="rad/s") for name in ("gx", "gy", "gz")]

trust = cp.param("trust", 2.0, unit="1/s", low=0, high=20)            # in the accelerometer: 2/s is half a second
drift = cp.param("drift", 0.5, unit="1/s2", low=0, high=5)            # how fast the gyroscope's offset is learned
window = cp.param("window", 2.0, unit="deg", low=0.1, high=45)        # what counts as level


def cross(a, b):
    return cp.vector([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


with cp.task(rate=RATE, name="filter"):
    up = cp.state([0.0, 0.0, 1.0], name="up")          # as the sensor sees it, with length 1
    offset = cp.state([0.0, 0.0, 0.0], name="offset")  # of the gyroscope, rad/s

    accel, gyro = cp.vector([ax, ay, az]), cp.vector([gx, gy, gz])
    size = cp.sqrt(accel[0] * accel[0] + accel[1] * accel[1] + accel[2] * accel[2])

    # The turn that leads from the idea to the measurement. In free fall, and in a jolt, nobody knows where up is.
    calm = (size > 0.7 * G) & (size < 1.3 * G)
    error = cp.iif(calm, cross(accel / cp.maximum(size, 1.0), up), cp.vector([0.0, 0.0, 0.0]))
    offset.next = offset - T * drift * error
    turned = up + T * cross(up, gyro - offset + trust * error)
    up.next = turned / cp.sqrt(turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2])

    roll = cp.log("roll", cp.atan2(up[1], up[2]) * DEGREES, unit="deg")
    pitch = cp.log("pitch", cp.atan2(-up[0], cp.hypot(up[1], up[2])) * DEGREES, unit="deg")
    cp.output("level", (cp.abs(roll) < window) & (cp.abs(pitch) < window), safe=0)

tg = cp.Target()
tg.compile()
