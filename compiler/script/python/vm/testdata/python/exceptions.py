#---- try forms
def f(x):
    try:
        if x == 0: return "ret"
        if x == 1: raise ValueError("v")
        if x == 2: raise KeyError("k")
        if x == 3: 1 / 0
        print("body")
    except ValueError as e: return f"value {e}"
    except (KeyError, IndexError) as e: return f"lookup {e}"
    except ArithmeticError: return "arith"
    else: return "else"
    finally: print("finally", x)
for i in range(5): print(f(i))
#---- finally overrides
def f():
    try: return 1
    finally: return 2
def g():
    while True:
        try: raise ValueError
        finally: break
    return "swallowed"
def h():
    for i in range(3):
        try: continue
        finally: print("fin", i)
    return "end"
def k():
    try:
        try: return "a"
        finally: print("inner")
    finally: print("outer")
print(f(), g(), h(), k())
#---- nested finally with return values
def f(n):
    r = []
    for i in range(n):
        try:
            try:
                if i == 1: continue
                if i == 3: break
                r.append(i)
            finally: r.append("f%d" % i)
        except ValueError: pass
        else: r.append("e")
        finally: r.append("g%d" % i)
    return r
print(f(5))
#---- exception attributes
try: raise ValueError("a", 1)
except ValueError as e: print(e.args, str(e), repr(e), type(e).__name__, isinstance(e, Exception))
print(repr(ValueError()), str(ValueError()), repr(ValueError("x")), str(KeyError("k")), str(KeyError()), repr(KeyError("k")), ValueError("x").args, Exception(1, 2), str(OSError("o")))
#---- exception name unbound after
try: raise ValueError
except ValueError as e: pass
print(e)
#---- raise class
raise ValueError
#---- raise instance
raise KeyError("missing")
#---- raise non exception
raise 5
#---- raise none active
raise
#---- raise from
try:
    try: 1 / 0
    except ZeroDivisionError as e: raise ValueError("bad") from e
except ValueError as e: print(e, repr(e.__cause__), repr(e.__context__))
try:
    try: 1 / 0
    except ZeroDivisionError: raise ValueError("ctx")
except ValueError as e: print(repr(e.__cause__), repr(e.__context__))
try: raise ValueError("n") from None
except ValueError as e: print(e.__cause__)
#---- raise from bad
raise ValueError from 5
#---- reraise
try:
    try: int("x")
    except ValueError as e: print("log", e); raise
except ValueError as e2: print("again", e2)
#---- custom exceptions
class AppError(Exception):
    def __init__(self, msg, code):
        super().__init__(msg)
        self.code = code
class Sub(AppError):
    def __str__(self): return f"[{self.code}] {self.args[0]}"
class Plain(ValueError): pass
try: raise Sub("oops", 5)
except AppError as e: print(e, e.code, e.args, repr(e))
try: raise Plain("p")
except ValueError as e: print(type(e).__name__, e, isinstance(e, Plain))
raise Sub("final", 7)
#---- custom exception no args
class E(Exception): pass
raise E
#---- custom exception args
class E(Exception): pass
raise E("a", 2)
#---- exception in handler
try:
    try: 1 / 0
    except ZeroDivisionError: [][1]
except IndexError as e: print(e, type(e.__context__).__name__)
#---- exception in finally
try:
    try: 1 / 0
    finally: {}["k"]
except KeyError as e: print(repr(e), type(e.__context__).__name__)
#---- exception in else
try:
    try: pass
    except ValueError: print("no")
    else: raise ValueError("else")
    finally: print("fin")
except ValueError as e: print(e)
#---- bare except
try: undefined
except: print("any")
try: raise KeyboardInterrupt
except BaseException as e: print(type(e).__name__)
#---- except order
try: [][0]
except LookupError: print("lookup")
except IndexError: print("index")
#---- except not matching
try: [][0]
except KeyError: print("no")
#---- except bad class
try: 1 / 0
except 5: pass
#---- except tuple variable
errs = (ValueError, ZeroDivisionError)
try: 1 / 0
except errs as e: print("ok", e)
#---- loop with exceptions
for v in ["1", "x", "3", None]:
    try: print(int(v))
    except ValueError: print("bad", v); continue
    except TypeError: print("type"); break
    finally: print("-")
#---- deep propagation
def a(): b()
def b(): c()
def c(): raise RuntimeError("deep")
try: a()
except RuntimeError as e: print(e)
a()
#---- error line in loop
for i in range(3):
    x = 10
    y = x / (2 - i)
    print(y)
#---- error in comprehension
data = [1, 2, 0]
r = [
    10 // d
    for d in data
]
#---- error in multi line call
def f(a, b):
    return a + b
f(1,
  "x")
#---- error in method
class A:
    def m(self):
        return self.x
A().m()
#---- error in lambda
g = lambda v: v[0]
g(5)
#---- error in generator
def g():
    yield 1
    raise ValueError("gen")
for x in g(): print(x)
#---- assertion message
x = 3
assert x < 2, f"x is {x}"
#---- attribute error none
x = None
x.foo()
#---- key error repr
d = {"a": 1}
d["it's"]
#---- nested function error
def outer():
    def inner():
        return undefined_thing
    return inner()
outer()
#---- stop iteration value
def g():
    return 5
    yield
try: next(g())
except StopIteration as e: print(e.value, e.args)
#---- not implemented
raise NotImplementedError("later")
#---- exception hierarchy
for c in [ZeroDivisionError, KeyError, IndexError, UnboundLocalError, RecursionError, ModuleNotFoundError, FileNotFoundError, UnicodeDecodeError, NotImplementedError, StopIteration, GeneratorExit, OverflowError]:
    names = []
    while c is not object: names.append(c.__name__); c = c.__base__
    print(names)
#---- with traceback
try: raise ValueError("x").with_traceback(None)
except ValueError as e: print(e, e.__traceback__ is None or True)
#---- import error
import nonexistent_module
#---- import from error (other message)
from math import nothing
#---- future and typing
from __future__ import annotations
from typing import List, Optional, Any
def f(x: Optional[List[int]]) -> Any: return x
print(f(3))
#---- raise in class body
class A:
    x = 1 / 0
#---- try in generator with return
def g():
    try:
        yield 1
        return "r"
    except GeneratorExit:
        print("closed")
        raise
    finally:
        print("fin")
it = g(); next(it); it.close(); print(list(g()))
#---- exception in iterator
class It:
    def __iter__(self): return self
    def __next__(self): raise ValueError("next failed")
for x in It(): pass
#---- many handlers
def classify(f):
    try: return f()
    except ZeroDivisionError: return "zero"
    except (TypeError, ValueError) as e: return type(e).__name__
    except Exception as e: return "other " + type(e).__name__
print([classify(f) for f in (lambda: 1 / 0, lambda: int("a"), lambda: 1 + "a", lambda: [][0], lambda: {}["a"], lambda: nope, lambda: 5)])
