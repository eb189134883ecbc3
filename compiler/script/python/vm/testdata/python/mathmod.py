#---- integers
import math
print(math.floor(2.7), math.ceil(2.1), math.trunc(-2.7), math.floor(-2.5), math.ceil(-2.5), math.floor(5), math.gcd(12, 18), math.gcd(), math.gcd(-4, 6, 8), math.lcm(4, 6), math.lcm(), math.lcm(0, 5), math.factorial(10), math.factorial(0), math.comb(10, 3), math.comb(5, 7), math.perm(5, 2), math.perm(4), math.isqrt(17), math.isqrt(10**40), math.floor(1e20), math.ceil(-1e30))
#---- tests
import math
print(math.isnan(math.nan), math.isinf(-math.inf), math.isfinite(1e308), math.isclose(1, 1 + 1e-10), math.isclose(1, 1.1), math.isclose(0, 1e-10), math.isclose(0, 1e-10, abs_tol=1e-9), math.isclose(100, 101, rel_tol=0.02), math.copysign(3, -0.0), math.fabs(-2), math.pi, math.e, math.tau, math.inf, math.nan)
#---- exact functions
import math
print(math.sqrt(16), math.sqrt(2), math.fmod(-7, 3), math.fmod(7.5, 2), math.remainder(7, 4), math.remainder(-7.5, 2), math.modf(3.75), math.modf(-2.5), math.modf(-3.0), math.frexp(10.0), math.frexp(0.0), math.ldexp(0.75, 4), math.hypot(3, 4), math.hypot(1, 2, 2), math.hypot(), math.dist([0, 0], (3, 4)), math.fsum([0.1] * 10), math.prod([1, 2, 3.5]), math.prod([], start=5), math.ulp(1.0), math.nextafter(1.0, 2.0), math.degrees(math.pi), math.radians(180.0), math.pow(2, 10), math.pow(4, 0.5))
#---- transcendental rounded
import math
for f in ["sin", "cos", "tan", "exp", "log", "asin", "acos", "atan", "sinh", "cosh", "tanh", "log10", "log2", "log1p", "expm1", "asinh", "erf", "erfc", "cbrt", "exp2", "gamma", "lgamma"]:
    for x in [0.1, 0.5, 0.9, 1.0]:
        if f in ("lgamma",) and x == 1.0: continue
        print(f, x, "%.11g" % getattr(math, f)(x))
print("%.11g %.11g %.11g" % (math.atan2(1, -1), math.acosh(2.5), math.atanh(0.25)))
#---- log bases
import math
print(math.log(8, 2), math.log(100, 10), math.log2(8), math.log10(1000), math.log(10**400) > 921, math.log2(2**2000), math.log(1), math.log(math.inf), math.exp(0), math.exp(-math.inf), math.atan(math.inf), math.sin(0.0), math.cos(0))
#---- sqrt domain
import math
math.sqrt(-1)
#---- log domain
import math
math.log(0)
#---- acos domain
import math
math.acos(2)
#---- exp range
import math
math.exp(1000)
#---- pow range
import math
math.pow(10, 400)
#---- pow domain
import math
math.pow(-1, 0.5)
#---- fmod domain
import math
math.fmod(1, 0)
#---- math type
import math
math.sin("a")
#---- math none
import math
math.sqrt(None)
#---- factorial negative
import math
math.factorial(-1)
#---- factorial float
import math
math.factorial(2.5)
#---- floor of text
import math
math.floor("a")
#---- floor of inf
import math
math.floor(math.inf)
#---- missing argument attribute
import math
math.foo(1)
#---- float overflow in power
2.0 ** 5000
#---- user numbers
import math
class F:
    def __float__(self): return 4.0
    def __floor__(self): return "floor"
    def __ceil__(self): return "ceil"
    def __trunc__(self): return "trunc"
print(math.sqrt(F()), math.floor(F()), math.ceil(F()), math.trunc(F()))
#---- import forms
import math as m
from math import sqrt, pi as P
print(m.sqrt(4), sqrt(9), P == m.pi)
from math import *
print(cos(0), floor(2.5))
