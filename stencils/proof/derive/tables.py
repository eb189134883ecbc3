"""Prints the tables of the logarithms and of atan (needs mpmath).

Logarithms: for each of 16 intervals of the significand a 1/c with 28 bits, so
that m/c - 1 is exact for a float m, chosen among 80 000 neighbours of the middle
such that log(c) is nearest to a multiple of 2^-44."""

import math
import struct

from mpmath import atan, fabs, log, mp, mpf, nint, pi

mp.prec = 200
OFFSET = 0x3FE6800000000000  # bits of 45/64, where the intervals begin
REACH = 40000


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def log_table(name, exact, approximate):
    print(name, "1/c, log(c)")
    worst_log = worst_r = mpf(0)
    for i in range(16):
        low, high = double(OFFSET + (i << 48)), double(OFFSET + ((i + 1) << 48))
        middle = round(2 / (low + high) * 2**27)
        if i == 9:  # holds 1, whose logarithm must come out as 0
            middle, candidates = 2**27, [0]
        else:
            def distance(d):
                v = -approximate((middle + d) / 2**27) * 2.0**44
                return abs(v - round(v))

            candidates = sorted(range(-REACH, REACH), key=lambda d: (distance(d), d))[:60]

        def scaled(d):
            return -exact(mpf(middle + d) / 2**27) * mpf(2) ** 44

        best = min(candidates, key=lambda d: (fabs(scaled(d) - nint(scaled(d))), d))
        v = scaled(best)
        inverse = (middle + best) / 2**27
        worst_log = max(worst_log, fabs(v - nint(v)))
        worst_r = max(worst_r, abs(low * inverse - 1), abs(high * inverse - 1))
        print("   ", inverse.hex(), float(nint(v) / 2**44).hex())
    print("    |log(c) - table| < 2^%.1f, |r| <= %.6f" % (float(log(worst_log, 2)) - 44, worst_r))


log_table("log", log, math.log)
log_table("log2", lambda x: log(x, 2), math.log2)
log_table("log10", lambda x: log(x, 10), math.log10)

for title, value in (("atan(j/8)", lambda a: a), ("pi/2 - atan(j/8)", lambda a: pi / 2 - a)):
    print(title, "high, low")
    for j in range(9):
        v = value(atan(mpf(j) / 8))
        print("   ", float(v).hex(), float(v - mpf(float(v))).hex())
