"""Random numbers, in the sequences that CPython gives for the same seeds.

For that the same numbers are drawn, and the same arithmetic is done with them in the same
order. Where a distribution has several methods, the one of its documentation is used.
"""

from _random import Generator as _Generator
import math as _math
from itertools import accumulate as _accumulate
from bisect import bisect as _bisect
from operator import index as _index

_log, _exp, _sqrt = _math.log, _math.exp, _math.sqrt


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
        if stop is None and step != 1:
            raise TypeError("Missing a non-None stop argument")
        start, step = _index(start), _index(step)
        if step == 0:
            raise ValueError("zero step for randrange()")
        first, end = (0, start) if stop is None else (start, _index(stop))
        n = -((first - end) // step)  # rounded up
        if n > 0:
            return first + step * self._below(n)
        if stop is None or step != 1:
            raise ValueError("empty range for randrange()")
        raise ValueError(f"empty range for randrange() ({first}, {end}, {end - first})")

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
        """k different places of a sequence; counts repeats its elements."""
        if not isinstance(population, (list, tuple, range, str, bytes)) and (isinstance(population, dict) or not hasattr(population, "__getitem__")):
            raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
        if counts is not None:
            return self._repeated(population, list(_accumulate(counts)), k)
        n = len(population)
        if k < 0 or k > n:
            raise ValueError("Sample larger than population or is negative")
        places = self._dealt(n, k) if n <= _dealt_up_to(k) else self._drawn(n, k)
        return [population[i] for i in places]

    def _repeated(self, population, ends, k):
        if len(ends) != len(population):
            raise ValueError("The number of counts does not match the population")
        if not ends or ends[-1] <= 0:
            raise ValueError("Total of counts must be greater than zero")
        return [population[_bisect(ends, i, 0, len(ends) - 1)] for i in self.sample(range(ends[-1]), k=k)]

    def _dealt(self, n, k):
        """Places as from a pack of cards, whose last card fills each gap."""
        pack = list(range(n))
        for left in range(n, n - k, -1):
            i = self._below(left)
            yield pack[i]
            pack[i] = pack[left - 1]

    def _drawn(self, n, k):
        """Places drawn again where one was drawn before."""
        seen = set()
        while len(seen) < k:
            i = self._below(n)
            if i not in seen:
                seen.add(i)
                yield i

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        """k elements, each of which may come again, by weights or sums of weights."""
        n, draw = len(population), self.random
        if weights is None and cum_weights is None:
            return [population[_math.floor(draw() * float(n))] for _ in range(k)]
        if weights is not None and cum_weights is not None:
            raise TypeError("Cannot specify both weights and cumulative weights")
        if isinstance(weights, int):
            raise TypeError(f"The number of choices must be a keyword argument: k={weights!r}")
        ends = list(_accumulate(weights)) if cum_weights is None else cum_weights
        if len(ends) != n:
            raise ValueError("The number of weights does not match the population")
        whole = float(ends[-1])
        if whole <= 0.0:
            raise ValueError("Total of weights must be greater than zero")
        if not _math.isfinite(whole):
            raise ValueError("Total of weights must be finite")
        return [population[_bisect(ends, draw() * whole, 0, n - 1)] for _ in range(k)]

    def uniform(self, a, b): return a + (b - a) * self.random()

    def triangular(self, low=0.0, high=1.0, mode=None):
        """From low to high, most often near mode."""
        u = self.random()
        if mode is not None and high == low:
            return low
        peak = 0.5 if mode is None else (mode - low) / (high - low)
        if u <= peak:
            return low + (high - low) * _sqrt(u * peak)
        return high + (low - high) * _sqrt((1.0 - u) * (1.0 - peak))

    def normalvariate(self, mu=0.0, sigma=1.0):
        """The normal distribution, by the ratio of two uniform numbers (Kinderman and Monahan, 1977)."""
        while True:
            over = self.random() - 0.5
            under = 1.0 - self.random()
            ratio = 4 * _exp(-0.5) / _sqrt(2.0) * over / under
            if not ratio * ratio / 4.0 > -_log(under):
                return mu + ratio * sigma

    def gauss(self, mu=0.0, sigma=1.0):
        z, self.gauss_next = self.gauss_next, None
        if z is None:
            angle = self.random() * _math.tau
            radius = _sqrt(-2.0 * _log(1.0 - self.random()))
            z = _math.cos(angle) * radius
            self.gauss_next = _math.sin(angle) * radius
        return mu + z * sigma

    def lognormvariate(self, mu=0.0, sigma=1.0): return _exp(self.normalvariate(mu, sigma))
    def expovariate(self, lambd=1.0): return -_log(1.0 - self.random()) / lambd

    def vonmisesvariate(self, mu, kappa):
        """An angle around mu; evenly spread where kappa is 0 (Best and Fisher, 1979)."""
        if kappa <= 1e-6:
            return _math.tau * self.random()
        half = 0.5 / kappa
        rho = half + _sqrt(1.0 + half * half)
        accepted = False
        while not accepted:
            cosine = _math.cos(_math.pi * self.random())
            part = cosine / (rho + cosine)
            u = self.random()
            accepted = u < 1.0 - part * part or u <= (1.0 - part) * _exp(part)
        turned = _math.acos((1.0 / rho + cosine) / (1.0 + 1.0 / rho * cosine))
        return (mu + turned if self.random() > 0.5 else mu - turned) % _math.tau

    def gammavariate(self, alpha, beta):
        """The gamma distribution of shape alpha and scale beta."""
        if not (alpha > 0.0 and beta > 0.0):
            raise ValueError("gammavariate: alpha and beta must be > 0.0")
        if alpha == 1.0:
            return -_log(1.0 - self.random()) * beta
        return (self._steep(alpha) if alpha < 1.0 else self._humped(alpha)) * beta

    def _humped(self, alpha):
        """Shapes above 1 (Cheng, 1977)."""
        spread = _sqrt(2.0 * alpha - 1.0)
        while True:
            u = self.random()
            if u <= 1e-7 or u >= 0.9999999:
                continue
            other = 1.0 - self.random()
            logit = _log(u / (1.0 - u)) / spread
            x = alpha * _exp(logit)
            product = u * u * other
            margin = alpha - _log(4.0) + (alpha + spread) * logit - x
            if margin + (1.0 + _log(4.5)) - 4.5 * product >= 0.0 or margin >= _log(product):
                return x

    def _steep(self, alpha):
        """Shapes below 1 (Ahrens and Dieter, 1974)."""
        total = (_math.e + alpha) / _math.e
        while True:
            p = total * self.random()
            if p > 1.0:
                x = -_log((total - p) / alpha)
                if self.random() <= x ** (alpha - 1.0):
                    return x
            else:
                x = p ** (1.0 / alpha)
                if self.random() <= _exp(-x):
                    return x

    def betavariate(self, alpha, beta):
        y = self.gammavariate(alpha, 1.0)
        return y / (y + self.gammavariate(beta, 1.0)) if y else 0.0

    def paretovariate(self, alpha): return (1.0 - self.random()) ** (-1.0 / alpha)
    def weibullvariate(self, alpha, beta): return alpha * (-_log(1.0 - self.random())) ** (1.0 / beta)


def _dealt_up_to(k):
    """The longest sequence of which k places are dealt from a pack: a set of them would be larger."""
    return 21 + (4 ** _math.ceil(_log(k * 3, 4)) if k > 5 else 0)


_inst = Random()
seed, random, uniform, triangular, randint, choice = _inst.seed, _inst.random, _inst.uniform, _inst.triangular, _inst.randint, _inst.choice
randrange, sample, shuffle, choices, normalvariate = _inst.randrange, _inst.sample, _inst.shuffle, _inst.choices, _inst.normalvariate
lognormvariate, expovariate, vonmisesvariate, gammavariate = _inst.lognormvariate, _inst.expovariate, _inst.vonmisesvariate, _inst.gammavariate
gauss, betavariate, paretovariate, weibullvariate = _inst.gauss, _inst.betavariate, _inst.paretovariate, _inst.weibullvariate
getstate, setstate, getrandbits, randbytes = _inst.getstate, _inst.setstate, _inst.getrandbits, _inst.randbytes
