"""The operators as functions."""


def lt(a, b, /): return a < b
def le(a, b, /): return a <= b
def eq(a, b, /): return a == b
def ne(a, b, /): return a != b
def ge(a, b, /): return a >= b
def gt(a, b, /): return a > b
def not_(a, /): return not a
def truth(a, /): return bool(a)
def is_(a, b, /): return a is b
def is_not(a, b, /): return a is not b
def add(a, b, /): return a + b
def sub(a, b, /): return a - b
def mul(a, b, /): return a * b
def truediv(a, b, /): return a / b
def floordiv(a, b, /): return a // b
def mod(a, b, /): return a % b
def pow(a, b, /): return a ** b
def matmul(a, b, /): return a @ b
def and_(a, b, /): return a & b
def or_(a, b, /): return a | b
def xor(a, b, /): return a ^ b
def lshift(a, b, /): return a << b
def rshift(a, b, /): return a >> b
def neg(a, /): return -a
def pos(a, /): return +a
def invert(a, /): return ~a
inv = invert
_abs = abs
def abs(a, /): return _abs(a)
def concat(a, b, /): return a + b
def contains(a, b, /): return b in a
def countOf(a, b, /): return sum([1 for x in a if x is b or x == b])
def indexOf(a, b, /):
    for i, x in enumerate(a):
        if x is b or x == b:
            return i
    raise ValueError("sequence.index(x): x not in sequence")
def getitem(a, b, /): return a[b]
def setitem(a, b, c, /): a[b] = c
def delitem(a, b, /): del a[b]
def length_hint(a, default=0, /): return len(a) if hasattr(a, "__len__") else default
def index(a, /):
    if isinstance(a, int):
        return int(a)
    if not hasattr(type(a), "__index__"):
        raise TypeError(f"{type(a).__name__!r} object cannot be interpreted as an integer")
    return type(a).__index__(a)
def call(f, /, *args, **kw): return f(*args, **kw)
def iadd(a, b, /):
    a += b
    return a
def isub(a, b, /):
    a -= b
    return a
def imul(a, b, /):
    a *= b
    return a
def itruediv(a, b, /):
    a /= b
    return a
def ifloordiv(a, b, /):
    a //= b
    return a
def imod(a, b, /):
    a %= b
    return a
def ipow(a, b, /):
    a **= b
    return a
def iand(a, b, /):
    a &= b
    return a
def ior(a, b, /):
    a |= b
    return a
def ixor(a, b, /):
    a ^= b
    return a
def ilshift(a, b, /):
    a <<= b
    return a
def irshift(a, b, /):
    a >>= b
    return a
def imatmul(a, b, /):
    a @= b
    return a
iconcat = iadd


class itemgetter:
    """A function that gets elements."""
    def __init__(self, item, /, *items): self._items = (item, *items)
    def __call__(self, obj, /):
        if len(self._items) == 1:
            return obj[self._items[0]]
        return tuple([obj[i] for i in self._items])
    def __repr__(self): return "operator.itemgetter(" + ", ".join([repr(i) for i in self._items]) + ")"


class attrgetter:
    """A function that gets attributes, also dotted ones."""
    def __init__(self, attr, /, *attrs):
        self._attrs = (attr, *attrs)
        if not all([isinstance(a, str) for a in self._attrs]):
            raise TypeError("attribute name must be a string")
    def __call__(self, obj, /):
        found = []
        for name in self._attrs:
            v = obj
            for part in name.split("."):
                v = getattr(v, part)
            found.append(v)
        return found[0] if len(found) == 1 else tuple(found)
    def __repr__(self): return "operator.attrgetter(" + ", ".join([repr(a) for a in self._attrs]) + ")"


class methodcaller:
    """A function that calls a method."""
    def __init__(self, name, /, *args, **kw):
        if not isinstance(name, str):
            raise TypeError("method name must be a string")
        self._name, self._args, self._kw = name, args, kw
    def __call__(self, obj, /): return getattr(obj, self._name)(*self._args, **self._kw)
    def __repr__(self):
        parts = [repr(self._name)] + [repr(a) for a in self._args] + [f"{k}={v!r}" for k, v in self._kw.items()]
        return "operator.methodcaller(" + ", ".join(parts) + ")"


__add__, __sub__, __mul__, __truediv__, __floordiv__, __mod__, __pow__ = add, sub, mul, truediv, floordiv, mod, pow
__lt__, __le__, __eq__, __ne__, __ge__, __gt__, __neg__, __getitem__ = lt, le, eq, ne, ge, gt, neg, getitem
