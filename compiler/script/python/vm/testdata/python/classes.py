#---- basics
class A:
    """doc"""
    count = 0
    def __init__(self, x, y=2):
        self.x, self.y = x, y
        A.count += 1
    def total(self): return self.x + self.y
    def __repr__(self): return f"A({self.x}, {self.y})"
a = A(1); b = A(3, 4); a.z = 9
print(a, b, a.total(), A.total(b), A.count, a.count, A.__name__, A.__doc__, type(a) is A, a.__class__.__name__, isinstance(a, A), a.__dict__, str(b), [a, b], a == a, a == b, a != b, hash(a) == hash(a))
a.count = 5; print(A.count, a.count); del a.count; print(a.count)
#---- inheritance
class A:
    def __init__(self, x): self.x = x
    def name(self): return "A"
    def hello(self): return "hello " + self.name()
class B(A):
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y
    def name(self): return "B" + super().name()
class C(B):
    def name(self): return "C" + super(C, self).name()
    @property
    def sum(self): return self.x + self.y
c = C(1, 2); print(c.hello(), c.sum, isinstance(c, A), issubclass(C, A), [k.__name__ for k in C.__mro__], C.__bases__, B.__base__.__name__)
#---- operators
class V:
    def __init__(self, *c): self.c = c
    def __add__(self, o): return V(*(a + b for a, b in zip(self.c, o.c)))
    def __sub__(self, o): return V(*(a - b for a, b in zip(self.c, o.c)))
    def __mul__(self, k): return V(*(a * k for a in self.c)) if isinstance(k, (int, float)) else NotImplemented
    __rmul__ = __mul__
    def __matmul__(self, o): return sum(a * b for a, b in zip(self.c, o.c))
    def __neg__(self): return V(*(-a for a in self.c))
    def __pos__(self): return self
    def __abs__(self): return (self @ self) ** 0.5
    def __invert__(self): return "inv"
    def __eq__(self, o): return isinstance(o, V) and self.c == o.c
    def __hash__(self): return hash(self.c)
    def __len__(self): return len(self.c)
    def __getitem__(self, i): return self.c[i]
    def __iter__(self): return iter(self.c)
    def __contains__(self, x): return x in self.c
    def __bool__(self): return any(self.c)
    def __repr__(self): return "V" + repr(self.c)
    def __call__(self, i): return self.c[i]
    def __truediv__(self, k): return V(*(a / k for a in self.c))
    def __floordiv__(self, k): return "fd"
    def __mod__(self, k): return "mod"
    def __pow__(self, k): return "pow"
    def __lshift__(self, k): return "lsh"
    def __rshift__(self, k): return "rsh"
    def __and__(self, k): return "and"
    def __or__(self, k): return "or"
    def __xor__(self, k): return "xor"
    def __iadd__(self, o): self.c = tuple(a + b for a, b in zip(self.c, o.c)); return self
a, b = V(1, 2), V(3, 4); k = a
print(a + b, a - b, a * 2, 3 * a, a @ b, -a, +a, abs(V(3, 4)), ~a, a == V(1, 2), a != b, hash(a) == hash(V(1, 2)), len(a), a[0], a[-1], a[0:1], list(a), 2 in a, bool(V(0, 0)), a(1), a / 2, a // 1, a % 1, a ** 2, a << 1, a >> 1, a & 1, a | 1, a ^ 1, {a: 1}[V(1, 2)], sum([a, b], V(0, 0)), [*a], max(b))
a += b; print(a, k, k is a); x, y = a; print(x, y)
#---- reflected
class R:
    def __radd__(self, o): return ("radd", o)
    def __rsub__(self, o): return ("rsub", o)
    def __rtruediv__(self, o): return ("rdiv", o)
    def __rpow__(self, o): return ("rpow", o)
    def __rmod__(self, o): return ("rmod", o)
    def __rmatmul__(self, o): return ("rmm", o)
r = R(); print(1 + r, 2.5 - r, "a" + r if False else [1] + r, 1 / r, 2 ** r, 7 % r, [1] @ r, "x" + r)
#---- subclass reflected priority
class A:
    def __add__(self, o): return "A.add"
    def __radd__(self, o): return "A.radd"
class B(A):
    def __radd__(self, o): return "B.radd"
class C(A): pass
print(A() + B(), B() + A(), A() + A(), A() + C())
#---- unsupported operand
class A: pass
A() + 1
#---- unsupported reversed
class A: pass
1 + A()
#---- unsupported inplace
class A: pass
a = A()
a += 1
#---- unsupported comparison
class A: pass
A() < A()
#---- not subscriptable
class A: pass
A()[0]
#---- no len
class A: pass
len(A())
#---- not iterable
class A: pass
list(A())
#---- not callable instance
class A: pass
A()()
#---- no attribute
class A: pass
A().foo
#---- no class attribute
class A: pass
A.foo
#---- no init args
class A: pass
A(1)
#---- comparison methods
class N:
    def __init__(self, v): self.v = v
    def __lt__(self, o): return self.v < o.v
    def __le__(self, o): return self.v <= o.v
    def __eq__(self, o): return self.v == o.v
    def __repr__(self): return f"N{self.v}"
a, b = N(1), N(2); print(a < b, a > b, a <= b, a >= b, a == N(1), a != b, sorted([b, a]), max(a, b), min([b, a]))
#---- eq without hash
class A:
    def __eq__(self, o): return True
hash(A())
#---- eq result any type
class A:
    def __eq__(self, o): return "eq"
    def __ne__(self, o): return "ne"
    def __lt__(self, o): return [1]
print(A() == 1, 1 == A(), A() != 1, A() < 1, 1 > A(), [A()] == [1])
#---- property
class T:
    def __init__(self): self._c = 0
    @property
    def c(self): "doc"; return self._c
    @c.setter
    def c(self, v):
        if v < -273: raise ValueError("too cold")
        self._c = v
    @c.deleter
    def c(self): print("deleted")
    @property
    def f(self): return self.c * 9 / 5 + 32
t = T(); t.c = 100; print(t.c, t.f); del t.c
try: t.c = -300
except ValueError as e: print(e)
try: t.f = 1
except AttributeError as e: print(e)
x = property(lambda self: 42); T.p = x; print(T().p)
#---- property error inside
class A:
    @property
    def p(self): return 1 / 0
A().p
#---- static and class methods
class A:
    n = 1
    @staticmethod
    def s(x): return x * 2
    @classmethod
    def make(cls, *a): return cls(*a)
    @classmethod
    def nn(cls): return cls.n
class B(A): n = 2
print(A.s(2), A().s(3), type(B.make()).__name__, A.nn(), B.nn(), B().nn())
#---- class attributes and mutation
class A:
    items = []
    def add(self, x): self.items.append(x)
A().add(1); A().add(2); print(A.items); A.extra = 5; print(A().extra)
class B:
    x = 1
    y = x + 1
    z = [x for _ in range(2)] if False else 0
    def f(self): return self.y
print(B.y, B().f())
#---- getattr hooks
class A:
    def __getattr__(self, n): return "attr " + n if n != "bad" else super().__getattribute__(n)
    def __setattr__(self, n, v): object.__setattr__(self, n, v * 2)
    def __delattr__(self, n): print("del", n)
a = A(); a.x = 5; print(a.x, a.y, getattr(a, "z")); del a.x
#---- getitem setitem delitem
class D:
    def __init__(self): self.d = {}
    def __getitem__(self, k): print("get", k); return self.d.get(k, 0)
    def __setitem__(self, k, v): print("set", k, v); self.d[k] = v
    def __delitem__(self, k): print("del", k); del self.d[k]
d = D(); d[1] = 2; d[1] += 5; print(d[1]); del d[1]; d[1:2]; d[1, 2]; d[::3] = 0
#---- old style iteration
class S:
    def __getitem__(self, i):
        if i >= 3: raise IndexError
        return i * i
print(list(S()), 4 in S(), [x for x in S()])
#---- iterator class
class Up:
    def __init__(self, n): self.n, self.i = n, 0
    def __iter__(self): return self
    def __next__(self):
        if self.i >= self.n: raise StopIteration
        self.i += 1
        return self.i
print(list(Up(3)), sum(Up(4)), [a for a in Up(2)], next(Up(5)), max(Up(3)), dict(zip("ab", Up(2))), 2 in Up(3))
u = Up(2); print(next(u), next(u), next(u, "end"))
#---- iterator exhausted
class Up:
    def __iter__(self): return self
    def __next__(self): raise StopIteration
next(Up())
#---- generator iter
class T:
    def __init__(self, l, v, r): self.l, self.v, self.r = l, v, r
    def __iter__(self):
        if self.l: yield from self.l
        yield self.v
        if self.r: yield from self.r
print(list(T(T(None, 1, None), 2, T(None, 3, T(None, 4, None)))))
#---- context manager
class CM:
    def __init__(self, n, swallow=False): self.n, self.sw = n, swallow
    def __enter__(self): print("enter", self.n); return self.n
    def __exit__(self, t, v, tb): print("exit", self.n, t and t.__name__, v); return self.sw
with CM(1) as a, CM(2) as b: print(a, b)
with CM("s", True): raise ValueError("x")
def f():
    for i in range(3):
        with CM(i):
            if i == 0: continue
            return "ret"
print(f())
with (CM(1) as a, CM(2)): print("paren", a)
try:
    with CM(3): 1 / 0
except ZeroDivisionError: print("outer")
for i in range(2):
    with CM("b"): break
#---- context manager error
with 5: pass
#---- context manager exit raises
class CM:
    def __enter__(self): return self
    def __exit__(self, *a): raise KeyError("in exit")
with CM():
    raise ValueError("in body")
#---- str and repr
class A:
    def __repr__(self): return "repr"
class B(A):
    def __str__(self): return "str"
print(A(), B(), [A(), B()], repr(B()), str(A()), f"{B()} {B()!r}", "%s %r" % (B(), B()))
#---- repr wrong type
class A:
    def __repr__(self): return 5
repr(A())
#---- bool wrong type
class A:
    def __bool__(self): return 5
bool(A())
#---- len wrong type
class A:
    def __len__(self): return "a"
len(A())
#---- len negative
class A:
    def __len__(self): return -1
len(A())
#---- init returns value
class A:
    def __init__(self): return 5
A()
#---- conversions
class A:
    def __int__(self): return 7
    def __float__(self): return 2.5
    def __index__(self): return 1
    def __round__(self, n=None): return ("round", n)
    def __abs__(self): return "abs"
    def __len__(self): return 4
    def __hash__(self): return 5
    def __contains__(self, x): return x == 3
    def __reversed__(self): return "rev"
a = A(); print(int(a), float(a), [10, 20][a], round(a), round(a, 2), abs(a), len(a), hash(a), 3 in a, 4 in a, bool(a), reversed(a))
#---- private names
class A:
    def __init__(self): self.__x = 1
    def get(self): return self.__x
class B(A):
    def __init__(self): super().__init__(); self.__x = 2
    def both(self): return self.__x, self.get()
print(B().both(), sorted(vars(B())))
#---- subclass of builtin
class L(list):
    def total(self): return sum(self)
    def append(self, x): super().append(x * 2)
l = L([1, 2]); l.append(3); print(l, l.total(), len(l), l[0], isinstance(l, list), l == [1, 2, 6], 6 in l, sorted(l), l + [1])
class D(dict):
    def __missing__(self, k): return k * 2
d = D(a=1); d["b"] = 2; print(d["a"], d["zz"], d, len(d), "a" in d)
class S(str):
    def shout(self): return self.upper() + "!"
s = S("hi"); print(s, s.shout(), len(s), s + "x", s == "hi", isinstance(s, str))
class F(float):
    def __repr__(self): return "F" + str(float(self))
print(F(1.5), F(1.5) + 1, F(2) > 1)
#---- nested classes and closures
def make(n):
    class K:
        v = n
        def get(self): return n, self.v
        class Inner:
            z = 3
    return K
print(make(5)().get(), make(6).v, make(1).Inner.z)
#---- class with call and callbacks
class Acc:
    def __init__(self): self.t = 0
    def __call__(self, x): self.t += x; return self
acc = Acc(); list(map(acc, [1, 2, 3])); print(acc.t, acc(4)(5).t, callable(acc))
m = acc.__call__; m(1); print(acc.t)
#---- bound methods
class A:
    def f(self, x=1): return self, x
a = A(); m = a.f; print(m()[0] is a, m(5)[1], m == a.f, A.f(a, 3)[1], m.__name__, m.__self__ is a)
#---- super without class
def f(): super().x
f()
#---- super missing attribute
class A:
    def f(self): return super().nothing
A().f()
#---- inherit from non class (other message)
class A(5): pass
#---- inherit from final
class A(bool): pass
#---- dir and vars
class A:
    x = 1
    def f(self): pass
a = A(); a.y = 2; print([n for n in dir(a) if not n.startswith("_")], vars(a))
#---- slots
class P:
    __slots__ = ("x", "y")
    def __init__(self): self.x = 1
p = P(); p.y = 2; print(p.x, p.y)
p.z = 3
#---- set_name and descriptors
class Field:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, owner): return "cls" if obj is None else getattr(obj, self.name, 0)
    def __set__(self, obj, v): setattr(obj, self.name, v + 100)
class M:
    f = Field()
m = M(); print(m.f, M.f); m.f = 5; print(m.f, vars(m))
#---- class decorator and static nested
class Node:
    def __init__(self, v, nxt=None): self.v, self.nxt = v, nxt
    def __iter__(self):
        n = self
        while n is not None:
            yield n.v
            n = n.nxt
print(list(Node(1, Node(2, Node(3)))))
#---- instance of deleted attribute
class A: pass
a = A()
del a.x
#---- setting builtin attribute
x = 5
x.foo = 1
#---- setting type attribute
int.foo = 1
