"""Statistics of plain numbers."""

import math as _math
from _lang import exact_sum as _exact_sum, exact_variance as _exact_variance, exact_harmonic as _exact_harmonic
from collections import Counter as _Counter
from bisect import bisect_left as _bisect_left, bisect_right as _bisect_right
import random as _random


class StatisticsError(ValueError):
    pass


def _numbers(data):
    return data if isinstance(data, list) else list(data)


def mean(data):
    """The arithmetic mean, with exact sums."""
    data = _numbers(data)
    if not data:
        raise StatisticsError("mean requires at least one data point")
    return _exact_sum(data, len(data))


def fmean(data, weights=None):
    """The arithmetic mean as a float."""
    data = _numbers(data)
    if weights is None:
        if not data:
            raise StatisticsError("fmean requires at least one data point")
        return _math.fsum(data) / len(data)
    weights = _numbers(weights)
    if len(weights) != len(data):
        raise StatisticsError("data and weights must be the same length")
    total = _math.fsum(weights)
    if not total:
        raise StatisticsError("sum of weights must be non-zero")
    return _math.fsum([x * w for x, w in zip(data, weights)]) / total


def geometric_mean(data):
    """The n-th root of the product."""
    data = _numbers(data)
    try:
        return _math.exp(fmean([_math.log(x) for x in data]))
    except ValueError:
        raise StatisticsError("geometric mean requires a non-empty dataset containing positive numbers") from None


def harmonic_mean(data, weights=None):
    """The reciprocal of the mean of reciprocals."""
    data = _numbers(data)
    if not data:
        raise StatisticsError("harmonic_mean requires at least one data point")
    if min(data) < 0:
        raise StatisticsError("harmonic mean does not support negative values")
    if 0 in data:
        return 0
    weights = [1] * len(data) if weights is None else _numbers(weights)
    if len(data) == 1 and weights == [1]:
        return data[0]
    return _exact_harmonic(data, weights)


def median(data):
    """The middle value, or the mean of the two in the middle."""
    data = sorted(data)
    n = len(data)
    if not n:
        raise StatisticsError("no median for empty data")
    if n % 2:
        return data[n // 2]
    return (data[n // 2 - 1] + data[n // 2]) / 2


def median_low(data):
    data = sorted(data)
    if not data:
        raise StatisticsError("no median for empty data")
    return data[(len(data) - 1) // 2]


def median_high(data):
    data = sorted(data)
    if not data:
        raise StatisticsError("no median for empty data")
    return data[len(data) // 2]


def median_grouped(data, interval=1):
    """The median of values that stand for classes of a width, interpolated in its class."""
    data = sorted(data)
    n = len(data)
    if not n:
        raise StatisticsError("no median for empty data")
    x = data[n // 2]
    below, upto = _bisect_left(data, x), _bisect_right(data, x)
    try:
        interval, x = float(interval), float(x)
    except ValueError:
        raise TypeError("Value cannot be converted to a float")
    return x - interval / 2.0 + interval * (n / 2 - below) / (upto - below)


def mode(data):
    """The most common value."""
    found = _Counter(iter(data)).most_common(1)
    if not found:
        raise StatisticsError("no mode for empty data")
    return found[0][0]


def multimode(data):
    counts = _Counter(iter(data))
    if not counts:
        return []
    most = max(counts.values())
    return [v for v, n in counts.items() if n == most]


def quantiles(data, *, n=4, method="exclusive"):
    """The cut points of n intervals with equal probability."""
    if n < 1:
        raise StatisticsError("n must be at least 1")
    data = sorted(data)
    size = len(data)
    if size < 2:
        raise StatisticsError("must have at least two data points")
    result = []
    if method == "inclusive":
        m = size - 1
        for i in range(1, n):
            j, delta = divmod(i * m, n)
            result.append((data[j] * (n - delta) + data[j + 1] * delta) / n)
        return result
    if method == "exclusive":
        m = size + 1
        for i in range(1, n):
            j = i * m // n
            j = 1 if j < 1 else size - 1 if j > size - 1 else j
            delta = i * m - j * n
            result.append((data[j - 1] * (n - delta) + data[j] * delta) / n)
        return result
    raise ValueError(f"Unknown method: {method!r}")


def variance(data, xbar=None):
    """The variance of a sample."""
    data = _numbers(data)
    if len(data) < 2:
        raise StatisticsError("variance requires at least two data points")
    return _exact_variance(data, xbar, len(data) - 1, False)


def pvariance(data, mu=None):
    """The variance of a whole population."""
    data = _numbers(data)
    if not data:
        raise StatisticsError("pvariance requires at least one data point")
    return _exact_variance(data, mu, len(data), False)


def stdev(data, xbar=None):
    """The standard deviation of a sample."""
    data = _numbers(data)
    if len(data) < 2:
        raise StatisticsError("stdev requires at least two data points")
    return _exact_variance(data, xbar, len(data) - 1, True)


def pstdev(data, mu=None):
    """The standard deviation of a whole population."""
    data = _numbers(data)
    if not data:
        raise StatisticsError("pstdev requires at least one data point")
    return _exact_variance(data, mu, len(data), True)


def _pairs(x, y, what):
    x, y = _numbers(x), _numbers(y)
    if len(x) != len(y):
        raise StatisticsError(f"{what} requires that both inputs have same number of data points")
    if len(x) < 2:
        raise StatisticsError(f"{what} requires at least two data points")
    mx, my = _math.fsum(x) / len(x), _math.fsum(y) / len(y)
    sxy = _math.fsum([(a - mx) * (b - my) for a, b in zip(x, y)])
    return x, y, mx, my, sxy


def covariance(x, y, /):
    x, y, mx, my, sxy = _pairs(x, y, "covariance")
    return sxy / (len(x) - 1)


def correlation(x, y, /):
    x, y, mx, my, sxy = _pairs(x, y, "correlation")
    sxx, syy = _math.fsum([(a - mx) ** 2 for a in x]), _math.fsum([(b - my) ** 2 for b in y])
    if not sxx or not syy:
        raise StatisticsError("at least one of the inputs is constant")
    return sxy / _math.sqrt(sxx * syy)


class _Line(tuple):
    slope = property(lambda self: self[0])
    intercept = property(lambda self: self[1])
    def __repr__(self): return f"LinearRegression(slope={self[0]!r}, intercept={self[1]!r})"


def linear_regression(x, y, /, *, proportional=False):
    x, y, mx, my, sxy = _pairs(x, y, "linear regression")
    if proportional:
        mx = my = 0
        sxy = _math.fsum([a * b for a, b in zip(x, y)])
    sxx = _math.fsum([(a - mx) ** 2 for a in x])
    if not sxx:
        raise StatisticsError("x is constant")
    slope = sxy / sxx
    return _Line((slope, 0.0 if proportional else my - slope * mx))


class NormalDist:
    """A normal distribution."""

    def __init__(self, mu=0.0, sigma=1.0):
        if sigma < 0:
            raise StatisticsError("sigma must be non-negative")
        self._mu, self._sigma = float(mu), float(sigma)

    mean = median = mode = property(lambda self: self._mu)
    stdev = property(lambda self: self._sigma)
    variance = property(lambda self: self._sigma * self._sigma)

    @classmethod
    def from_samples(cls, data):
        data = _numbers(data)
        return cls(fmean(data), stdev(data))

    def samples(self, n, *, seed=None):
        gauss = _random.gauss if seed is None else _random.Random(seed).gauss
        return [gauss(self._mu, self._sigma) for _ in range(n)]

    def pdf(self, x):
        if not self._sigma:
            raise StatisticsError("pdf() not defined when sigma is zero")
        d = x - self._mu
        v = self._sigma * self._sigma
        return _math.exp(d * d / (-2.0 * v)) / _math.sqrt(_math.tau * v)

    def cdf(self, x):
        if not self._sigma:
            raise StatisticsError("cdf() not defined when sigma is zero")
        return 0.5 * (1.0 + _math.erf((x - self._mu) / (self._sigma * _math.sqrt(2.0))))

    def zscore(self, x):
        if not self._sigma:
            raise StatisticsError("zscore() not defined when sigma is zero")
        return (x - self._mu) / self._sigma

    def __add__(self, other):
        if isinstance(other, NormalDist):
            return NormalDist(self._mu + other._mu, _math.hypot(self._sigma, other._sigma))
        return NormalDist(self._mu + other, self._sigma)

    def __sub__(self, other):
        if isinstance(other, NormalDist):
            return NormalDist(self._mu - other._mu, _math.hypot(self._sigma, other._sigma))
        return NormalDist(self._mu - other, self._sigma)

    def __mul__(self, x): return NormalDist(self._mu * x, self._sigma * abs(x))
    def __truediv__(self, x): return NormalDist(self._mu / x, self._sigma / abs(x))
    def __eq__(self, other): return self._mu == other._mu and self._sigma == other._sigma if isinstance(other, NormalDist) else NotImplemented
    def __repr__(self): return f"NormalDist(mu={self._mu!r}, sigma={self._sigma!r})"
