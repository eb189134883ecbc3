#---- several bases
class A:
    def who(self): return "A"
    def a(self): return "a"
class B:
    def who(self): return "B"
    def b(self): return "b"
class C(A, B):
    def who(self): return "C" + super().who()
c = C()
print(c.who(), c.a(), c.b(), [k.__name__ for k in C.__mro__], C.__bases__ == (A, B), isinstance(c, B), issubclass(C, B))
#---- diamond
class Base:
    def __init__(self): self.log = ["Base"]
class L(Base):
    def __init__(self):
        super().__init__()
        self.log.append("L")
class R(Base):
    def __init__(self):
        super().__init__()
        self.log.append("R")
class D(L, R):
    def __init__(self):
        super().__init__()
        self.log.append("D")
print(D().log, [k.__name__ for k in D.mro()])
#---- no order
class A: pass
class B(A): pass
class C(A, B): pass
#---- duplicate base (other message)
class A: pass
class C(A, A): pass
#---- layouts clash
class C(int, str): pass
#---- mixin over builtin
class Loud:
    def shout(self): return str(self).upper() + "!"
class Word(Loud, str): pass
class Num(int, Loud): pass
w, n = Word("hi"), Num(5)
print(w.shout(), w + "x", len(w), n + 1, n.shout(), isinstance(n, int))
#---- several exceptions
class E(KeyError, ValueError): pass
for k in (KeyError, ValueError, LookupError):
    try: raise E("x")
    except k as e: print(k.__name__, e)
#---- new
class Single:
    only = None
    def __new__(cls, *args):
        if cls.only is None:
            cls.only = super().__new__(cls)
        return cls.only
    def __init__(self, v): self.v = v
a, b = Single(1), Single(2)
print(a is b, a.v)
#---- new of immutable
class Celsius(float):
    def __new__(cls, v): return float.__new__(cls, v + 0.5)
class Pair(tuple):
    def __new__(cls, a, b): return super().__new__(cls, (a, b))
    @property
    def first(self): return self[0]
print(Celsius(1), Pair(1, 2), Pair(3, 4).first, type(Pair(1, 2)).__name__, Pair(1, 2) == (1, 2))
#---- new of another class
class Other: pass
class Odd:
    def __new__(cls): return Other()
    def __init__(self): print("never")
print(type(Odd()).__name__)
#---- class keywords
class Plugin:
    known = {}
    def __init_subclass__(cls, name=None, **kw):
        super().__init_subclass__(**kw)
        Plugin.known[name or cls.__name__] = cls.__name__
class P(Plugin, name="pid"): pass
class Q(Plugin): pass
print(Plugin.known)
#---- unknown class keyword
class P: pass
class Q(P, size=3): pass
#---- metaclass
class Meta(type):
    def __new__(mcls, name, bases, ns, **kw):
        cls = super().__new__(mcls, name, bases, ns)
        cls.tag = name.lower()
        return cls
    def __init__(cls, name, bases, ns, **kw):
        super().__init__(name, bases, ns)
        cls.kw = kw
    def __call__(cls, *args):
        obj = super().__call__(*args)
        obj.made_by = cls.__name__
        return obj
    def __len__(cls): return 42
    def __iter__(cls): return iter("abc")
    def __getitem__(cls, k): return k * 2
    def __contains__(cls, k): return k == 7
    def hello(cls): return "hello " + cls.__name__
    @property
    def prop(cls): return cls.tag * 2
    def __repr__(cls): return "<" + cls.__name__ + ">"
class X(metaclass=Meta, a=1):
    def __init__(self, v=0): self.v = v
    def cls(self): return __class__.__name__
class Y(X): pass
print(X.tag, X.kw, Y.tag, type(X).__name__, X(3).made_by, X(3).v, len(X), list(X), X[4], 7 in X, X.hello(), X.prop, X, Y().cls(), isinstance(X, Meta))
#---- type with three arguments
T = type("T", (object,), {"x": 5, "f": lambda self: self.x + 1})
print(T.x, T().f(), T.__name__, type(T) is type)
#---- abstract
from abc import ABC, abstractmethod
class Shape(ABC):
    @abstractmethod
    def area(self): ...
    @property
    @abstractmethod
    def name(self): ...
    def twice(self): return 2 * self.area()
class Sq(Shape):
    def __init__(self, a): self.a = a
    def area(self): return self.a ** 2
    name = "sq"
print(Sq(3).twice(), Sq(1).name)
try: Shape()
except TypeError as e: print(e)
class Half(Shape):
    def area(self): return 0
Half()
#---- unions of types
print(int | None, int | str, isinstance(3, int | str), isinstance(None, int | None), isinstance(2.5, int | str), (int | str) == (str | int))
def f(x: int | None = None) -> "list[int] | None": return x
print(f(3), int | int)
class A: pass
print(isinstance(A(), A | int), (A | None).__args__[0].__name__)
#---- union of no types
int | 3
#---- divmod and round of classes
class V:
    def __init__(self, v): self.v = v
    def __divmod__(self, o): return ("divmod", self.v, o)
    def __rdivmod__(self, o): return ("rdivmod", self.v, o)
    def __round__(self, n=None): return ("round", self.v, n)
    def __floor__(self): return "floor"
    def __trunc__(self): return "trunc"
    def __abs__(self): return "abs"
print(divmod(V(1), 2), divmod(3, V(4)), round(V(5)), round(V(5), 2), abs(V(1)))
import math
print(math.floor(V(1)), math.trunc(V(1)))
class N(float):
    def __round__(self, n=None): return "mine"
print(round(N(1.5)), round(N(1.5), 1))
#---- annotations
class C:
    a: int = 1
    b: "str"
    c: list
    d = 4
def f(x: int, *args: str, y: float = 1.0, **kw) -> bool: pass
print(C.__annotations__, f.__annotations__)
z: int = 3
#---- slots
class S:
    __slots__ = ("a", "__b")
    def __init__(self): self.a, self.__b = 1, 2
    def b(self): return self.__b
class T(S):
    __slots__ = ["c"]
s = T()
s.c = 3
print(s.a, s.b(), s.c)
try: s.d = 1
except AttributeError as e: print(e)
class U(S): pass
u = U()
u.anything = 1
print(u.anything)
#---- slots as text
class S:
    __slots__ = "x"
s = S()
s.x = 1
print(s.x)
s.y = 2
#---- descriptors
class Typed:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, owner=None): return self if obj is None else getattr(obj, self.name)
    def __set__(self, obj, v): setattr(obj, self.name, float(v))
    def __delete__(self, obj): print("del", self.name); delattr(obj, self.name)
class P:
    x = Typed()
p = P()
p.x = 3
print(p.x, p._x, P.x.name)
del p.x
#---- names of characters
print("\N{GREEK SMALL LETTER ALPHA}\N{BULLET} \N{degree sign}", f"\N{MICRO SIGN}m {1}", len("\N{SNOWMAN}"))
#---- unknown name of a character (other message)
print("\N{NO SUCH THING}")
#---- walrus and stars
if (n := 10) > 5: print(n)
print([y := 1, y + 1], [last := x for x in range(3)][-1], last)
a, *b, c = range(5)
print(a, b, c, [*b, *"xy"], {**{"a": 1}, "b": 2}, (*b,))
def f(*a, k, **kw): return a, k, kw
print(f(*[1, 2], *(3,), k=1, **{"z": 2}))
for i, (x, *y) in enumerate([(1, 2, 3), (4,)]): print(i, x, y)
x = 1, *[2, 3]
print(x)
