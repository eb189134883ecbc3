"""One-dimensional Kalman filter: the height of a building from ten measurements."""
import copapy as cp

measurements = [48.54, 47.11, 55.01, 55.15, 49.89, 40.85, 46.72, 50.05, 51.27, 49.95]
sigma = 5.0  # standard deviation of a measurement, m

z = [cp.value(m) for m in measurements]
x = cp.value(60.0)   # first guess, m
p = cp.value(225.0)  # and its variance, m^2
r = sigma ** 2

for zi in z:
    k = p / (p + r)
    x = x + k * (zi - x)
    p = (1 - k) * p

tg = cp.Target()
tg.compile(x, p)
tg.run()

print(f"estimate = {tg.read_value(x):.5f}")
print(f"variance = {tg.read_value(p):.5f}")
