# Writes reference.txt: function, arguments and the correctly rounded result,
# computed with 120 decimal digits. Run: python3 reference.py > reference.txt
import decimal, math, random

decimal.getcontext().prec = 400
D = decimal.Decimal
random.seed(7)


def series(x, term, step, sign):
    s = t = term
    i = step[0]
    while abs(t) > D(10) ** -150:
        t = t * x * x / (i * (i + 1)) * sign
        s += t
        i += 2
    return s


def arctan_inv(n):
    t = s = D(1) / n
    k = 3
    while abs(t) > D(10) ** -390:
        t = -t / (n * n)
        s += t / k
        k += 2
    return s


PI = 16 * arctan_inv(5) - 4 * arctan_inv(239)


def reduce(x):
    n = (D(x) / (PI / 2)).to_integral_value()
    return D(x) - n * PI / 2, int(n) % 4


def sin(x, shift=0):
    r, q = reduce(x)
    q = (q + shift) % 4
    v = series(r, r, (2,), -1) if q % 2 == 0 else series(r, D(1), (1,), -1)
    return v if q < 2 else -v


def cos(x): return sin(x, 1)
def tan(x): return sin(x) / cos(x)


def atan(x):
    x = D(x)
    for _ in range(10): x = x / (1 + (1 + x * x).sqrt())
    s = t = x
    k = 3
    while abs(t) > D(10) ** -150:
        t = -t * x * x
        s += t / k
        k += 2
    return s * 1024


def asin(x): return atan(D(x) / ((1 - D(x)) * (1 + D(x))).sqrt())
def acos(x): return PI / 2 - asin(x)
def atan2(y, x): return atan(D(y) / D(x)) + (0 if x > 0 else PI if y > 0 else -PI)
def exp(x): return D(x).exp()
def log(x): return D(x).ln()
def sinh(x): return (exp(x) - exp(-x)) / 2
def cosh(x): return (exp(x) + exp(-x)) / 2
def tanh(x): return sinh(x) / cosh(x)
def exp2(x): return (D(x) * D(2).ln()).exp()
def log2(x): return D(x).ln() / D(2).ln()
def log10(x): return D(x).ln() / D(10).ln()
def power(x, y): return (D(y) * D(x).ln()).exp()
def cbrt(x): return (D(x).ln() / 3).exp() if x > 0 else -(D(-x).ln() / 3).exp()


def spread(lo, hi): return math.copysign(2 ** random.uniform(lo, hi), random.choice([-1, 1]))


small = lambda: spread(-30, 5)
positive = lambda: abs(spread(-200, 200))
near1 = lambda: 1 + spread(-40, -1)
unit = lambda: random.choice([random.uniform(-1, 1), spread(-30, -1)])
huge = lambda: spread(10, 1000)
for f, args in [(sin, [small]), (cos, [small]), (tan, [small]), (sin, [huge]), (cos, [huge]), (atan, [small]), (asin, [unit]), (acos, [unit]),
                (atan2, [small, small]), (exp, [small]), (exp2, [small]), (log, [positive]), (log, [near1]), (log2, [positive]), (log10, [positive]),
                (sinh, [small]), (cosh, [small]), (tanh, [small]), (cbrt, [positive]), (power, [lambda: abs(small()), small]), (power, [near1, huge])]:
    n = 0
    while n < 40:
        xs = [a() for a in args]
        try: y = float(f(*xs))
        except decimal.Overflow: continue
        if not 1e-280 < abs(y) < 1e290: continue
        n += 1
        print(f.__name__, *[x.hex() for x in xs], y.hex())
