"""Random numbers, with CPython's sequences."""

from _random import Generator as _Generator
import math as _math
from itertools import accumulate as _accumulate
from bisect import bisect as _bisect
from operator import index as _index

_NV_MAGIC = 4 * _math.exp(-0.5) / _math.sqrt(2.0)
_LOG4 = _math.log(4.0)
_SG_MAGIC = 1.0 + _math.log(4.5)


class Random:
    """A generator of random numbers of its own."""

    def __init__(self, x=None):
        self._gen = _Generator()
        self.random, self.getrandbits = self._gen.random, self._gen.getrandbits
        self._below = self._gen.below
        self.seed(x)

    def seed(self, a=None, version=2):
        """Start the sequence that belongs to a number or text; None takes one from the system."""
        if a is not None and not isinstance(a, (int, float, str, bytes)):
            raise TypeError("The only supported seed types are: None,\nint, float, str, bytes, and bytearray.")
        self._gen.seed(a)
        self.gauss_next = None

    def getstate(self): return (3, self._gen.getstate(), self.gauss_next)

    def setstate(self, state):
        if state[0] != 3:
            raise ValueError(f"state with version {state[0]} passed to Random.setstate() of version 3")
        self._gen.setstate(state[1])
        self.gauss_next = state[2]

    def randbytes(self, n): return self.getrandbits(n * 8).to_bytes(n, "little")

    def randrange(self, start, stop=None, step=1):
        """A number of range(start, stop, step)."""
        start = _index(start)
        if stop is None:
            if step != 1:
                raise TypeError("Missing a non-None stop argument")
            if start > 0:
                return self._below(start)
            raise ValueError("empty range for randrange()")
        stop, step = _index(stop), _index(step)
        width = stop - start
        if step == 1:
            if width > 0:
                return start + self._below(width)
            raise ValueError("empty range for randrange() (%d, %d, %d)" % (start, stop, width))
        if step > 0:
            n = (width + step - 1) // step
        elif step < 0:
            n = (width + step + 1) // step
        else:
            raise ValueError("zero step for randrange()")
        if n <= 0:
            raise ValueError("empty range for randrange()")
        return start + step * self._below(n)

    def randint(self, a, b):
        """A number from a to b, both included."""
        return self.randrange(a, b + 1)

    def choice(self, seq):
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return seq[self._below(len(seq))]

    def shuffle(self, x):
        below = self._below
        for i in range(len(x) - 1, 0, -1):
            j = below(i + 1)
            x[i], x[j] = x[j], x[i]

    def sample(self, population, k, *, counts=None):
        if not hasattr(population, "__getitem__") and not isinstance(population, (list, tuple, range, str, bytes)) or isinstance(population, dict):
            raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
        n = len(population)
        if counts is not None:
            ends = list(_accumulate(counts))
            if len(ends) != n:
                raise ValueError("The number of counts does not match the population")
            total = ends.pop() if ends else 0
            if total <= 0:
                raise ValueError("Total of counts must be greater than zero")
            return [population[_bisect(ends, s)] for s in self.sample(range(total), k=k)]
        if not 0 <= k <= n:
            raise ValueError("Sample larger than population or is negative")
        below = self._below
        result = [None] * k
        setsize = 21
        if k > 5:
            setsize += 4 ** _math.ceil(_math.log(k * 3, 4))
        if n <= setsize:
            pool = list(population)
            for i in range(k):
                j = below(n - i)
                result[i] = pool[j]
                pool[j] = pool[n - i - 1]
        else:
            chosen = set()
            for i in range(k):
                j = below(n)
                while j in chosen:
                    j = below(n)
                chosen.add(j)
                result[i] = population[j]
        return result

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        random, n = self.random, len(population)
        if cum_weights is None:
            if weights is None:
                n += 0.0
                return [population[_math.floor(random() * n)] for _ in range(k)]
            if isinstance(weights, int):
                raise TypeError(f"The number of choices must be a keyword argument: k={weights!r}")
            cum_weights = list(_accumulate(weights))
        elif weights is not None:
            raise TypeError("Cannot specify both weights and cumulative weights")
        if len(cum_weights) != n:
            raise ValueError("The number of weights does not match the population")
        total = cum_weights[-1] + 0.0
        if total <= 0.0:
            raise ValueError("Total of weights must be greater than zero")
        if not _math.isfinite(total):
            raise ValueError("Total of weights must be finite")
        return [population[_bisect(cum_weights, random() * total, 0, n - 1)] for _ in range(k)]

    def uniform(self, a, b): return a + (b - a) * self.random()

    def triangular(self, low=0.0, high=1.0, mode=None):
        u = self.random()
        try:
            c = 0.5 if mode is None else (mode - low) / (high - low)
        except ZeroDivisionError:
            return low
        if u > c:
            u, c, low, high = 1.0 - u, 1.0 - c, high, low
        return low + (high - low) * _math.sqrt(u * c)

    def normalvariate(self, mu=0.0, sigma=1.0):
        random = self.random
        while True:
            u1 = random()
            u2 = 1.0 - random()
            z = _NV_MAGIC * (u1 - 0.5) / u2
            if z * z / 4.0 <= -_math.log(u2):
                return mu + z * sigma

    def gauss(self, mu=0.0, sigma=1.0):
        z, self.gauss_next = self.gauss_next, None
        if z is None:
            angle = self.random() * _math.tau
            radius = _math.sqrt(-2.0 * _math.log(1.0 - self.random()))
            z = _math.cos(angle) * radius
            self.gauss_next = _math.sin(angle) * radius
        return mu + z * sigma

    def lognormvariate(self, mu=0.0, sigma=1.0): return _math.exp(self.normalvariate(mu, sigma))
    def expovariate(self, lambd=1.0): return -_math.log(1.0 - self.random()) / lambd

    def vonmisesvariate(self, mu, kappa):
        random = self.random
        if kappa <= 1e-6:
            return _math.tau * random()
        s = 0.5 / kappa
        r = s + _math.sqrt(1.0 + s * s)
        while True:
            z = _math.cos(_math.pi * random())
            d = z / (r + z)
            u = random()
            if u < 1.0 - d * d or u <= (1.0 - d) * _math.exp(d):
                break
        q = 1.0 / r
        f = (q + z) / (1.0 + q * z)
        if random() > 0.5:
            return (mu + _math.acos(f)) % _math.tau
        return (mu - _math.acos(f)) % _math.tau

    def gammavariate(self, alpha, beta):
        if alpha <= 0.0 or beta <= 0.0:
            raise ValueError("gammavariate: alpha and beta must be > 0.0")
        random = self.random
        if alpha > 1.0:
            ainv = _math.sqrt(2.0 * alpha - 1.0)
            bbb = alpha - _LOG4
            ccc = alpha + ainv
            while True:
                u1 = random()
                if not 1e-7 < u1 < 0.9999999:
                    continue
                u2 = 1.0 - random()
                v = _math.log(u1 / (1.0 - u1)) / ainv
                x = alpha * _math.exp(v)
                z = u1 * u1 * u2
                r = bbb + ccc * v - x
                if r + _SG_MAGIC - 4.5 * z >= 0.0 or r >= _math.log(z):
                    return x * beta
        if alpha == 1.0:
            return -_math.log(1.0 - random()) * beta
        while True:
            b = (_math.e + alpha) / _math.e
            p = b * random()
            x = p ** (1.0 / alpha) if p <= 1.0 else -_math.log((b - p) / alpha)
            u1 = random()
            if p > 1.0:
                if u1 <= x ** (alpha - 1.0):
                    return x * beta
            elif u1 <= _math.exp(-x):
                return x * beta

    def betavariate(self, alpha, beta):
        y = self.gammavariate(alpha, 1.0)
        return y / (y + self.gammavariate(beta, 1.0)) if y else 0.0

    def paretovariate(self, alpha): return (1.0 - self.random()) ** (-1.0 / alpha)
    def weibullvariate(self, alpha, beta): return alpha * (-_math.log(1.0 - self.random())) ** (1.0 / beta)


_inst = Random()
seed, random, uniform, triangular, randint, choice = _inst.seed, _inst.random, _inst.uniform, _inst.triangular, _inst.randint, _inst.choice
randrange, sample, shuffle, choices, normalvariate = _inst.randrange, _inst.sample, _inst.shuffle, _inst.choices, _inst.normalvariate
lognormvariate, expovariate, vonmisesvariate, gammavariate = _inst.lognormvariate, _inst.expovariate, _inst.vonmisesvariate, _inst.gammavariate
gauss, betavariate, paretovariate, weibullvariate = _inst.gauss, _inst.betavariate, _inst.paretovariate, _inst.weibullvariate
getstate, setstate, getrandbits, randbytes = _inst.getstate, _inst.setstate, _inst.getrandbits, _inst.randbytes
