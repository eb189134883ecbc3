#---- defaults and keywords
def f(a, b=2, *args, c, d=4, **kw): return a, b, args, c, d, kw
print(f(1, c=3), f(1, 2, 3, 4, c=5, e=6), f(*[1, 2], **{"c": 3, "z": 9}), f(b=1, a=2, c=3), f(1, *(2, 3), c=4, **{}))
def g(a, b, /, c, *, d): return a, b, c, d
print(g(1, 2, 3, d=4), g(1, 2, c=3, d=4))
def h(x, acc=[]): acc.append(x); return acc
print(h(1), h(2), h(3, []))
#---- missing argument
def f(a, b): pass
f(1)
#---- missing two
def f(a, b, c): pass
f()
#---- missing keyword only
def f(*, a): pass
f()
#---- too many
def f(a): pass
f(1, 2)
#---- too many none
def f(): pass
f(1)
#---- too many defaults
def f(a, b=1): pass
f(1, 2, 3)
#---- unexpected keyword
def f(a): pass
f(b=1)
#---- multiple values
def f(a): pass
f(1, a=2)
#---- positional only by keyword
def f(a, /): pass
f(a=1)
#---- repeated keyword spread (other message)
def f(**k): pass
f(**{"a": 1}, **{"a": 2})
#---- spread not mapping (other message)
def f(**k): pass
f(**5)
#---- spread bad keys
def f(**k): pass
f(**{1: 2})
#---- method missing argument
class A:
    def m(self, x): pass
A().m()
#---- not callable
x = 5
x()
#---- lambda
print((lambda: 1)(), (lambda x, y=2: x + y)(1), (lambda *a, **k: (a, k))(1, b=2), sorted([3, 1], key=lambda v: -v), (lambda x: (lambda y: x + y))(1)(2))
#---- closures
def counter():
    n = 0
    def inc(by=1):
        nonlocal n
        n += by
        return n
    return inc
c = counter(); d = counter(); print(c(), c(), d(), c(10))
def outer(x):
    def mid():
        def inner(): return x
        return inner
    x += 1
    return mid()
print(outer(1)())
fs = []
for i in range(3):
    def f(i=i): return i
    fs.append(f)
print([f() for f in fs])
#---- global
x = 1
def f():
    global x, y
    x += 1
    y = 5
f(); print(x, y)
#---- unbound local
x = 1
def f():
    print(x)
    x = 2
f()
#---- name error
print(undefined_name)
#---- free variable unbound
def f():
    def g(): return v
    g()
    v = 1
f()
#---- del variable
x = 1
del x
print(x)
#---- del local
def f():
    a = 1
    del a
    return a
f()
#---- recursion
def fact(n): return 1 if n < 2 else n * fact(n - 1)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fact(20), fact(50), fib(15))
def even(n): return n == 0 or odd(n - 1)
def odd(n): return n != 0 and even(n - 1)
print(even(100), odd(7))
#---- recursion error
def f(n): return f(n + 1)
try:
    f(0)
except RecursionError as e:
    print("caught", e)
#---- decorators
def twice(f):
    def w(*a, **k): return f(*a, **k) * 2
    return w
def add(n):
    def deco(f): return lambda *a: f(*a) + n
    return deco
@twice
@add(10)
def f(x): return x
print(f(1))
def reg(cls): cls.tag = "t"; return cls
@reg
class C: pass
print(C.tag)
#---- function attributes
def f(a, b=1):
    "doc string"
    return a
f.x = 5
print(f.__name__, f.__doc__, f.x, callable(f), callable(5), callable(int), f.__defaults__, (lambda: 0).__name__, hasattr(f, "y"))
#---- return forms
def f(): return
def g(): pass
def h(): return 1, 2
print(f(), g(), h(), (lambda: None)())
#---- generators
def gen():
    print("start")
    x = yield 1
    print("got", x)
    try:
        y = yield 2
        print("got", y)
    finally:
        print("cleanup")
    return "result"
g = gen(); print(next(g)); print(g.send("a"))
try: g.send("b")
except StopIteration as e: print("stop", e.value)
print(list(gen()))
g = gen(); next(g); next(g); g.close(); print(list(g))
#---- generator throw
def gen():
    while True:
        try: yield 1
        except ValueError as e: print("caught", e); yield "handled"
g = gen(); next(g); print(g.throw(ValueError("x")), next(g))
try: g.throw(KeyError("k"))
except KeyError as e: print("out", repr(e))
#---- yield from
def sub():
    r = yield "a"
    print("r", r)
    return "ret"
def top():
    v = yield from sub()
    print("v", v)
    yield from [1, 2]
    yield from "xy"
t = top(); print(next(t), t.send(5), list(t))
#---- generator expressions lazy
def show(x): print("show", x); return x
g = (show(i) for i in range(3)); print("made"); print(next(g)); print(list(g)); print(sum(x for x in range(4)), type(g).__name__)
#---- infinite generator
def count(n=0):
    while True:
        yield n
        n += 1
c = count(5); print([next(c) for _ in range(3)], [x for x, _ in zip(count(), "abc")])
#---- generator return in loop
def first(n):
    for i in range(100):
        if i >= n: return
        yield i
print(list(first(3)))
#---- stop iteration inside generator
def g():
    yield 1
    raise StopIteration
list(g())
#---- send to new generator
def g(): yield 1
g().send(5)
#---- generator already executing
def g():
    yield next(it)
it = g()
next(it)
#---- generator with try finally and break
def g():
    try:
        yield 1
        yield 2
    finally:
        print("done")
for x in g():
    print(x)
#---- walrus
if (n := 10) > 5: print(n)
print([y := 1, y + 1], [last := i for i in range(3)], last, (z := 3) + z)
while (k := n - 1) > 7: n = k
print(k, [b for a in range(4) if (b := a * 2) > 2])
def f():
    r = [t := i * i for i in range(3)]
    return r, t
print(f())
#---- conditional expression
print(1 if True else 2, "a" if 0 else "b" if 0 else "c", (1, 2) if [] else (3,), [i if i % 2 else -i for i in range(4)])
#---- and or
print(0 or "a", 1 and 2, 0 and 1, "" or 0 or None or "x", 1 and [] and 3, not (1 and 0), 1 or 1 / 0, 0 and 1 / 0)
#---- loops with else
for i in range(3):
    if i == 5: break
else: print("no break")
for i in range(3):
    if i == 1: break
else: print("not shown")
while i < 5: i += 1
else: print("while done", i)
for i in range(3):
    if i == 1: continue
    print(i)
for i in []: pass
else: print("empty", i)
#---- nested loops
r = []
for i in range(4):
    for j in range(4):
        if j == 2: break
        if i == 1: continue
        r.append((i, j))
print(r)
#---- augmented targets
class A: pass
a = A(); a.x = 1; a.x += 2; a.l = [1]; a.l[0] += 5; d = {"k": 1}; d["k"] **= 2; d["k"] -= 3; x = 7; x //= 2; x <<= 3; x |= 1; x ^= 3; x %= 7; x /= 2; x @= 1 if False else 1
print(a.x)
#---- augmented operators
x = 7; x //= 2; x <<= 3; x |= 1; x ^= 3; x >>= 1; x &= 14; x **= 2; x -= 1; x %= 50; x *= 3; x /= 4; print(x)
a = [1, 2]; a[0], a[1] = a[1], a[0]; print(a); i = 0; a[i], i = 9, 1; print(a, i)
#---- augmented error
x = 1
x += "a"
#---- annotations
x: int = 5
y: "undefined" = 6
def f(a: int, b: str = "x", *c: float, **d: bool) -> None: return a, b
class C:
    z: int = 1
    w: str
print(x, y, f(1), C.z, hasattr(C, "w"))
#---- assert
assert True
assert 1, "no"
assert (1 == 2), "message " + "here"
#---- assert plain
assert 0
#---- semicolons and pass
a = 1; b = 2; print(a + b); pass; print("x")
if a: pass
elif b: pass
else: pass
#---- line continuation
x = 1 + \
    2
y = (1 +
     2,
     3)
print(x, y, [
    1,
    2,
])
#---- long elif chain
def f(n):
    if n == 0: return "zero"
    elif n == 1: return "one"
    elif n == 2: return "two"
    elif n == 3: return "three"
    else: return "many"
print([f(i) for i in range(5)])
#---- star expressions in return and subscript
def f(): return 1, *[2, 3]
for x in 1, *[2]: print(x)
print(f())
#---- default evaluation order
def t(x): print("t", x); return x
def f(a=t(1), b=t(2)): return a, b
print(f(), t(3) + t(4) * t(5), {t("k"): t("v")}, [t(1), t(2)][t(0)])
#---- builtin argument errors
len()
#---- builtin too many
len(1, 2)
#---- isinstance
print(isinstance(1, int), isinstance(True, int), isinstance(1.0, (int, float)), isinstance("a", str), isinstance([], (tuple, (list,))), isinstance(None, type(None)), issubclass(bool, int), issubclass(int, object), isinstance(int, type), isinstance(print, object), type(1) is int, type(type(1)), issubclass(KeyError, LookupError))
#---- isinstance error
isinstance(1, 5)
#---- getattr family
class A: x = 1
a = A(); setattr(a, "y", 2); print(getattr(a, "x"), getattr(a, "z", "d"), hasattr(a, "y"), hasattr(a, "q")); delattr(a, "y"); print(hasattr(a, "y"), vars(a), getattr("abc", "upper")())
#---- getattr error
getattr(5, "foo")
#---- type names
for v in [1, 1.0, "a", True, None, [], (), {}, set(), frozenset(), range(1), len, lambda: 0, int, print, [].append, (i for i in []), slice(1), b"", zip(), map(str, []), enumerate([]), iter([]), iter({}), {}.keys(), NotImplemented, ..., ValueError(), type]:
    print(type(v).__name__, end=" ")
print()
#---- dunder name
print(__name__)
#---- builtin functions as values
print(list(map(len, ["a", "bb"])), [f(-2) for f in (abs, str, float)], max([1, -5], key=abs), (str.upper)("a"), list(map(str.strip, [" a "])), int.bit_length(5), dict.get({"a": 1}, "a"), list.append is not None)
