#---- powers with all digits
print(1.1 ** 10, 2.5 ** 0.5, 10 ** -3, 7 ** -2, 0.1 ** 3, 1.0001 ** 10000, 9.87 ** -4.321, (-1.5) ** 3, 2 ** 0.5, 1e-3 ** 2, 123.456 ** 7)
#---- functions with all digits
import math
print(math.sin(0.7), math.cos(0.7), math.tan(0.7), math.exp(2.5), math.log(10), math.atan2(0.7, 0.7), math.sinh(1.5), math.cosh(1.5), math.tanh(0.3), math.asin(0.3), math.acos(0.3), math.atan(2.5), math.log10(2), math.log2(3), math.log1p(1e-3), math.expm1(1e-3), math.pow(1.7, 2.3), math.sqrt(3), math.hypot(1.8, 2.0), math.radians(33), math.degrees(1.2))
#---- sums and accumulation
s = 0.0
for i in range(1, 200): s += 1 / i ** 2
print(s, sum(0.1 for _ in range(10)), sum([0.1] * 3), math.fsum([0.1] * 10) if False else 0)
#---- sine table
import math
for k in range(0, 24): print(k, math.sin(k * math.pi / 12), math.cos(2 * math.pi * k / 24))
#---- gaussian and coefficients
import math
def gauss(x, mu=0.0, sigma=1.0): return math.exp(-0.5 * ((x - mu) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
print([gauss(v / 4) for v in range(-4, 5)])
def butter(fc, fs):
    k = math.tan(math.pi * fc / fs)
    n = 1 / (1 + math.sqrt(2) * k + k * k)
    return k * k * n, 2 * k * k * n, k * k * n, 2 * (k * k - 1) * n, (1 - math.sqrt(2) * k + k * k) * n
print(butter(50.0, 1000.0))
