"""Kinds of numbers, for isinstance."""

from abc import ABCMeta as _ABCMeta


class Number(metaclass=_ABCMeta): pass
class Complex(Number): pass
class Real(Complex): pass
class Rational(Real): pass
class Integral(Rational): pass


Real.register(float)
Integral.register(int)
