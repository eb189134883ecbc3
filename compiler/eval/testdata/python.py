"""Writes python.txt: what CPython gives for the ops that it defines, on special values.

Integers are exact in Python and wrap to 32 bits here. Floats are computed in double precision and
rounded to float32, which for one operation on float32 operands gives the same as computing in float32.
Lines are "op dtype arity : results", the results for every operand, or for every pair of operands with
the second one running fastest; "-" where Python raises an exception or leaves the answer open.
"""
import math
import operator
import struct

FLOATS = [
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x3eaaaaab, 0x3f000000, 0xbf000000,
    0x3f7fffff, 0x3f800000, 0xbf800000, 0x3fc00000, 0x40000000, 0x40200000, 0xc0200000, 0x40400000, 0xc0e00000,
    0x41200000, 0x42c80000, 0x4afffffd, 0x4b800001, 0x4effffff, 0x4f000000, 0xcf000000, 0x60ad78ec, 0x7f7fffff,
    0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
]
INTS = [0, 1, -1, 2, -2, 3, 5, 7, -7, 10, 31, 32, 33, 255, 2**16, 2**24 + 1, 2**30, 2**31 - 1, -2**31 + 1, -2**31]


def to_float(word):
    return struct.unpack("<f", struct.pack("<I", word))[0]


def float_word(x):
    if math.isnan(x):
        return 0x7fc00000
    try:
        return struct.unpack("<I", struct.pack("<f", x))[0]
    except OverflowError:
        return 0x7f800000 if x > 0 else 0xff800000


def word(x):
    if isinstance(x, float):
        return float_word(x)
    return int(x) & 0xffffffff


def shift(f):
    def g(a, n):
        if n < 0:
            raise ValueError
        return f(a, min(n, 64))  # the same 32 bits, without numbers of gigabytes
    return g


def extremum(f):
    def g(a, b):
        if math.isnan(a) or math.isnan(b) or a == b == 0:
            raise ValueError  # Python's answer depends on the order
        return f(a, b)
    return g


def rounding(f):
    return lambda x: math.copysign(float(f(x)), x)


def to_i32(x):
    n = int(x)
    if not -2**31 <= n < 2**31:
        raise ValueError
    return n


def floordiv(a, b):
    q = a // b
    if abs(q) >= 2**24:
        raise ValueError  # beyond the integers that float32 tells apart
    return q


COMPARISONS = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne}

INT_UNARY = {"neg": operator.neg, "abs": abs, "not": operator.invert, "to_f32": float, "to_bool": bool}
INT_BINARY = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv, "mod": operator.mod,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor, "shl": shift(operator.lshift), "shr": shift(operator.rshift),
    "min": min, "max": max, **COMPARISONS,
}
FLOAT_UNARY = {
    "neg": operator.neg, "abs": abs, "to_bool": bool, "to_i32": to_i32,
    "floor": rounding(math.floor), "ceil": rounding(math.ceil), "trunc": rounding(math.trunc), "round": rounding(round),
    "isnan": math.isnan, "isfinite": math.isfinite,
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "exp": math.exp, "expm1": math.expm1,
    "log": math.log, "log2": math.log2, "log10": math.log10, "log1p": math.log1p,
}
FLOAT_BINARY = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "floordiv": floordiv, "mod": operator.mod,
    "pow": math.pow, "atan2": math.atan2, "hypot": math.hypot, "fmod": math.fmod,
    "min": extremum(min), "max": extremum(max), **COMPARISONS,
}


def result(f, *operands):
    try:
        return "%x" % word(f(*operands))
    except (ArithmeticError, ValueError):
        return "-"


def line(op, dtype, arity, results):
    print(op, dtype, arity, ":", *results)


for dtype, words, value, unary, binary in [
    ("i32", INTS, int, INT_UNARY, INT_BINARY),
    ("f32", FLOATS, to_float, FLOAT_UNARY, FLOAT_BINARY),
]:
    print("operands", dtype, ":", *("%x" % (w & 0xffffffff) for w in words))
    values = [value(w) for w in words]
    for op, f in unary.items():
        line(op, dtype, 1, [result(f, a) for a in values])
    for op, f in binary.items():
        line(op, dtype, 2, [result(f, a, b) for a in values for b in values])
