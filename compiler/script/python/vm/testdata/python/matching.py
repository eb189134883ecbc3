#---- literals
def f(x):
    match x:
        case 0: return "zero"
        case -1 | -2: return "neg"
        case 1.5: return "float"
        case "a" "b": return "text"
        case b"x": return "bytes"
        case None: return "none"
        case True: return "true"
        case _: return "other"
for v in (0, -1, -2, 1.5, "ab", b"x", None, True, False, 1, [], "abc", 0.0):
    print(repr(v), f(v))
#---- captures and guards
def f(x):
    match x:
        case n if n < 0: return f"negative {n}"
        case 0: return "zero"
        case n: return f"positive {n}"
print(f(-3), f(0), f(7))
match 5:
    case y if y > 10: pass
print(y)
#---- sequences
def f(x):
    match x:
        case []: return "empty"
        case [a]: return f"one {a}"
        case (a, b): return f"two {a} {b}"
        case [1, *rest]: return f"one and {rest}"
        case [*init, 9]: return f"{init} and nine"
        case a, *_, z: return f"{a}..{z}"
        case _: return "no sequence"
for v in ([], (), [1], (1, 2), [1, 2, 3], [2, 3, 9], (4, 5, 6), "ab", {1, 2}, {1: 2}, range(3), 5, b"ab", iter([1])):
    print(f(v))
#---- nested
data = [("move", (1, 2)), ("turn", 90), ("stop",), ("move", (1, 2, 3)), ["line", [[0, 0], [3, 4]]]]
for c in data:
    match c:
        case ("move", (x, y)): print("move", x, y)
        case ("turn", int(a) | float(a)): print("turn", a)
        case ("stop",): print("stop")
        case [name, [[x0, y0] as p, [x1, y1]]]: print(name, p, x1 - x0)
        case other: print("?", other)
#---- mappings
def f(x):
    match x:
        case {"type": "pid", "kp": kp, **rest}: return kp, rest
        case {"type": t}: return t
        case {1: a, None: b}: return a, b
        case {}: return "some mapping"
        case _: return "none"
for v in ({"type": "pid", "kp": 2, "ki": 1}, {"type": "x", "y": 1}, {}, {"a": 1}, [], {"kp": 1}, {1: 2, None: 3}, {True: 4, None: 5}):
    print(f(v))
#---- one key twice
match {}:
    case {1: a, None: b, True: _}: pass
#---- classes
class Point:
    __match_args__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
class Circle:
    def __init__(self, r): self.r = r
def f(p):
    match p:
        case Point(0, 0): return "origin"
        case Point(x=0, y=yy): return f"y axis {yy}"
        case Point(x, y) if x == y: return f"diagonal {x}"
        case Point(): return "point"
        case Circle(r=float(r) | int(r)): return f"circle {r}"
        case str(s): return f"str {s}"
        case int() | float(): return "number"
        case list([a, b]): return f"list {a} {b}"
        case dict(d): return f"dict {d}"
        case _: return "?"
for v in (Point(0, 0), Point(0, 5), Point(2, 2), Point(1, 2), Circle(3), Circle("x"), "s", 1, 1.5, True, [1, 2], [1], {"a": 1}, None):
    print(f(v))
#---- class errors
class Point:
    __match_args__ = ("x",)
    x = 1
match Point():
    case Point(1, 2): pass
#---- int takes one
match 5:
    case int(a, b): pass
#---- not a class
f = len
match 5:
    case f(): pass
#---- values by dotted name
class Color:
    RED = 1
    GREEN = 2
def f(c):
    match c:
        case Color.RED: return "red"
        case Color.GREEN: return "green"
        case _: return "?"
print(f(1), f(2), f(3))
#---- or with captures
def f(x):
    match x:
        case [a, 0] | [0, a]: return a
        case {"v": a} | [a]: return ("v", a)
        case (1 | 2 | 3) as small: return ("small", small)
    return None
print(f([5, 0]), f([0, 6]), f({"v": 1}), f([8]), f(2), f(9))
#---- soft keywords are names
match = 3
case = 4
_ = 5
print(match, case, _, match * case)
match = [1, 2]
print(match[0], match [1])
def match(x): return x * 2
print(match(4), match (5))
match (3):
    case 3: print("matched")
match -1, 2:
    case (-1, x): print(x)
match [1, 2, 3]:
    case [x, *xs]:
        print(x, xs)
#---- in loops and functions
def run(cmds):
    total = 0
    for c in cmds:
        match c.split():
            case ["add", n]: total += int(n)
            case ["skip", *_]: continue
            case ["stop"]: break
            case []: raise ValueError("empty")
            case [op, *args]:
                try:
                    match args:
                        case [n]: total *= int(n)
                        case _: return "bad " + op
                finally:
                    total += 100
    else:
        total = -total
    return total
print(run(["add 3", "skip x", "mul 4", "add 1"]), run(["add 1", "stop", "add 5"]), run(["x"]), run(["x 1 2"]))
#---- no match falls through
match 3:
    case 1: print("one")
    case 2: print("two")
print("done")
#---- keys that are not there
match {"a": 1}:
    case {"b": _}: print("b")
    case {"a": 1}: print("a")
#---- subject of several
a, b = 1, 2
match a, b:
    case 1, 1: print("both")
    case 1, _: print("first")
#---- starred subject
xs = [1, 2]
match *xs, 3:
    case (1, 2, 3): print("ok")
#---- unreachable name
match 1:
    case x: pass
    case 1: pass
#---- unreachable wildcard
match 1:
    case _: pass
    case 1: pass
#---- alternatives differ
match 1:
    case [a] | [b]: pass
#---- bound twice
match 1:
    case [a, a]: pass
#---- two stars
match 1:
    case [*a, *b]: pass
#---- keyword twice
match 1:
    case int(real=1, real=2): pass
