#---- enum
from enum import Enum, IntEnum, Flag, IntFlag, StrEnum, auto, unique
class State(Enum):
    IDLE = auto()
    RUN = auto()
    FAULT = 10
    ERROR = 10
    NEXT = auto()
    def busy(self): return self is State.RUN
    @property
    def label(self): return self.name.title()
    @classmethod
    def first(cls): return cls.IDLE
print(State.IDLE, repr(State.RUN), State.RUN.name, State.RUN.value, State(2), State["FAULT"], list(State), len(State))
print(State.ERROR is State.FAULT, State.NEXT.value, State.RUN.busy(), State.IDLE.label, State.first(), State.RUN in State)
print(isinstance(State.RUN, State), type(State.RUN), State, State.__members__, {State.RUN: 1}[State.RUN], State.RUN == 2, State.RUN != State.IDLE)
for s in State: print(s.name, end=" ")
print(f"{State.RUN} {State.RUN!r} {State.RUN:>12}|", hash(State.RUN) == hash(State.RUN), bool(State.IDLE))
#---- enum errors (other message)
from enum import Enum
class C(Enum):
    A = 1
try: C(3)
except ValueError as e: print(e)
try: C["B"]
except KeyError as e: print(repr(e))
try: C.A = 3
except AttributeError as e: print(e)
try: C.A.value = 3
except AttributeError as e: print(e)
try:
    class D(C): pass
except TypeError as e: print(e)
C.B
#---- int enums
from enum import IntEnum, StrEnum, auto
class P(IntEnum):
    LOW = 1
    HIGH = 3
print(P.LOW, repr(P.LOW), P.LOW + 1, P.HIGH > P.LOW, P.HIGH == 3, sorted([P.HIGH, P.LOW]), f"{P.LOW} {P.HIGH:03d}", [10, 20, 30, 40][P.HIGH], int(P.HIGH), max(P), P(3), isinstance(P.LOW, int), {1: "a"}[P.LOW])
class S(StrEnum):
    RED = auto()
    BLUE = "b"
print(S.RED, repr(S.RED), S.RED == "red", S.BLUE + "!", f"{S.BLUE}", S("b"), S.RED.upper())
#---- str mixin
from enum import Enum
class Mode(str, Enum):
    A = "a"
    B = "b"
print(Mode.A, repr(Mode.A), Mode.A == "a", Mode("b"), Mode.A.upper(), Mode.A.value, f"{Mode.A}")
class Num(int, Enum):
    ONE = 1
print(Num.ONE, repr(Num.ONE), Num.ONE + 1)
#---- flags
from enum import Flag, IntFlag, auto
class F(Flag):
    R = auto()
    W = auto()
    X = auto()
    RW = R | W
    NONE = 0
a = F.R | F.X
print(a, repr(a), a.value, F.R in a, F.W in a, bool(a & F.W), a & F.W, ~a, F.RW, list(a), len(a), a ^ F.R, F(3), F(0), list(F), F.R | F.W is F.RW)
class I(IntFlag):
    A = 1
    B = 2
    C = 4
print(I.A | I.B, repr(I.A | I.B), I.A | 8, repr(I.A | 8), I(5), repr(I(0)), ~I.A, int(I.C), I.A + 1, I.B & 3, 6 & I.B)
try: F(64)
except ValueError as e: print(str(e).split("\n")[0])
#---- unique enums and functional ones
from enum import Enum, unique
try:
    @unique
    class U(Enum):
        A = 1
        B = 1
except ValueError as e: print(e)
C = Enum("C", "RED GREEN")
print(list(C), C.RED.value, Enum("D", {"x": 5})["x"].value)
#---- enum with init
from enum import Enum
class Planet(Enum):
    EARTH = (5.976e+24, 6.37814e6)
    MARS = (6.421e+23, 3.3972e6)
    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius
    @property
    def g(self): return round(6.67300E-11 * self.mass / self.radius ** 2, 3)
print(Planet.EARTH.g, Planet.MARS.value, Planet.EARTH)
class Op(Enum):
    ADD = "+"
    def __call__(self, a, b): return a + b
    @classmethod
    def _missing_(cls, v): return cls.ADD if v == "plus" else None
print(Op.ADD(1, 2), Op("plus"))
match Op.ADD:
    case Op.ADD: print("matched")
#---- dataclasses
from dataclasses import dataclass, field, asdict, astuple, replace, fields, is_dataclass
@dataclass
class P:
    x: float
    y: float = 0.0
    tags: list = field(default_factory=list)
    secret: int = field(default=1, repr=False, compare=False)
    def norm(self): return (self.x ** 2 + self.y ** 2) ** 0.5
p, q = P(3, 4), P(3.0, y=4)
print(p, p == q, p.norm(), p != P(1), p.tags is not q.tags, asdict(p), astuple(p), replace(p, x=0), [f.name for f in fields(P)], is_dataclass(p), is_dataclass(3))
p.x = 9
print(p, P.__match_args__, [(f.name, f.type) for f in fields(p)][:2])
match p:
    case P(x, y): print(x, y)
#---- dataclass missing argument
from dataclasses import dataclass
@dataclass
class P:
    x: int
    y: int
P(1)
#---- dataclass unknown argument
from dataclasses import dataclass
@dataclass
class P:
    x: int
P(1, z=2)
#---- frozen and ordered dataclasses
from dataclasses import dataclass, FrozenInstanceError
@dataclass(frozen=True, order=True)
class V:
    major: int
    minor: int = 0
a, b = V(1), V(1, 2)
print(a < b, sorted([b, a]), hash(a) == hash(V(1, 0)), {a: 1}[V(1)], max(a, b), a >= b)
try: a.major = 3
except FrozenInstanceError as e: print(e)
try: del a.major
except AttributeError as e: print(e)
#---- dataclass not ordered
from dataclasses import dataclass
@dataclass
class P:
    x: int
P(1) < P(2)
#---- dataclass post init, init vars, inheritance
from dataclasses import dataclass, field, InitVar, KW_ONLY
from typing import ClassVar, Optional
@dataclass
class Base:
    a: int
    count: ClassVar[int] = 7
@dataclass
class D(Base):
    b: int = 2
    scale: InitVar[int] = 10
    total: int = field(init=False)
    _: KW_ONLY
    name: Optional[str] = None
    def __post_init__(self, scale): self.total = (self.a + self.b) * scale
print(D(1), D(1, 3, 2, name="x"), D.count)
@dataclass(kw_only=True)
class K:
    x: int = 1
    y: int
print(K(y=3))
@dataclass(slots=True)
class S:
    x: int = 5
s = S()
print(s)
try: s.q = 1
except AttributeError as e: print(e)
@dataclass(eq=False)
class N:
    x: int
print(N(1) == N(1))
#---- dataclass mutable default
from dataclasses import dataclass
@dataclass
class P:
    x: list = []
#---- dataclass default order
from dataclasses import dataclass
@dataclass
class P:
    x: int = 1
    y: int
#---- nested dataclasses
from dataclasses import dataclass, asdict, astuple, field
@dataclass
class A:
    v: int
@dataclass
class B:
    a: A
    l: list
    d: dict = field(default_factory=dict)
print(asdict(B(A(1), [A(2)], {"k": A(3)})), astuple(B(A(1), [A(2)])))
#---- itertools
import itertools as it
from itertools import *
print(list(chain([1], (2, 3), "ab")), list(chain.from_iterable([[1], [2, 3]])), list(islice(count(5, 2), 3)), list(islice(range(10), 2, 8, 3)))
print(list(product([1, 2], "ab")), list(product([0, 1], repeat=2)), list(permutations([1, 2, 3], 2)), list(combinations("abcd", 3)), list(combinations_with_replacement("ab", 2)))
print(list(accumulate([1, 2, 3])), list(accumulate([1, 2, 3], lambda a, b: a * b)), list(accumulate([1, 2], initial=100)), list(zip_longest([1, 2, 3], "a", fillvalue="-")))
print(list(takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(dropwhile(lambda x: x < 3, [1, 2, 3, 1])), list(filterfalse(lambda x: x % 2, range(5))), list(compress("abcd", [1, 0, 1, 0])), list(starmap(pow, [(2, 3), (3, 2)])))
print([(k, list(g)) for k, g in groupby("aabbbc")], [(k, len(list(g))) for k, g in groupby([1, 3, 2, 4, 5], key=lambda x: x % 2)], [k for k, g in groupby("aab")])
print(list(pairwise([1, 2, 3])), list(islice(cycle("ab"), 5)), list(repeat(7, 3)), list(zip(repeat(1), [1, 2])), count(3), repeat(1, 2), next(count()))
a, b = tee([1, 2, 3])
print(next(a), list(b), list(a), list(zip(*[iter(range(6))] * 2)), list(permutations([1, 2, 3]))[-1], list(product()), list(combinations([1], 2)))
c = count(0.5, 0.25)
print(next(c), next(c), sum(islice(c, 3)))
i = iter(range(10))
print(list(islice(i, 3)), next(i), list(islice(i, 2, None)))
#---- islice errors
from itertools import islice
islice([1], -1)
#---- functools
from functools import *
import operator
print(reduce(lambda a, b: a + b, [1, 2, 3]), reduce(operator.mul, [1, 2, 3], 10), partial(pow, 2)(5), partial(int, base=2)("101"))
p = partial(print, "a", sep="-")
p("b", "c")
print(p.args, p.keywords)
calls = []
@lru_cache(maxsize=2)
def f(x, y=1):
    calls.append(x)
    return x * y
print(f(1), f(1), f(2), f(3), f(1), calls, f.cache_info(), f.__name__)
f.cache_clear()
print(f.cache_info())
@cache
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(80), fib.cache_info().hits)
def deco(g):
    @wraps(g)
    def inner(*a): return g(*a) + 1
    return inner
@deco
def h(x):
    "doc of h"
    return x
print(h(1), h.__name__, h.__doc__, h.__wrapped__(1))
@total_ordering
class T:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return self.v == o.v
    def __lt__(self, o): return self.v < o.v
print(T(1) <= T(1), T(2) > T(1), T(1) >= T(2), sorted([T(3), T(1)])[0].v)
print(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)))
class C:
    n = 0
    @cached_property
    def v(self):
        self.n += 1
        return 42
    @lru_cache
    def m(self, x): return x + 1
c = C()
print(c.v, c.v, c.n, c.m(1), c.m(1), C.m.cache_info().hits)
@singledispatch
def show(x): return "object"
@show.register
def _(x: int): return "int"
@show.register(str)
def _(x): return "str"
@show.register
def _(x: list | tuple): return "seq"
print(show(1), show("a"), show(1.5), show([1]), show(()), show(True))
print(reduce(max, [3, 1, 4]))
#---- reduce of nothing
from functools import reduce
reduce(lambda a, b: a, [])
#---- cache of unhashable
from functools import cache
@cache
def f(x): return 1
f([1])
#---- collections
from collections import namedtuple, deque, Counter, defaultdict, OrderedDict, ChainMap
P = namedtuple("P", "x y", defaults=[5])
p = P(1)
print(p, p.x, p[1], p._replace(x=9), p._asdict(), P._fields, P._make([1, 2]), p == (1, 5), len(p), [*p], isinstance(p, tuple), P(y=1, x=2), hash(p) == hash((1, 5)), p < P(2))
x, y = p
print(x, y, P.__name__, P._field_defaults, max([P(1, 2), P(0, 9)]), p.count(5), p + (1,))
match p:
    case P(x=1, y=k): print("k", k)
d = deque([1, 2, 3], maxlen=3)
d.append(4); d.appendleft(0)
print(d, d[0], d[-1], len(d), d.pop(), d.popleft(), list(d), d.maxlen, sum(d))
d = deque(range(5))
d.rotate(2); print(d)
d.rotate(-1); d.extend([7, 8]); d.extendleft([9, 10]); print(d, d.index(7), d.count(0), 8 in d)
d.remove(0); d.insert(1, "i"); d[2] = "s"; del d[0]; d.reverse(); print(d, d.copy() == d, bool(deque()), list(reversed(d)))
d += [1]; print(d, deque([1]) + deque([2]), deque("ab") * 2, deque([1]) < deque([2]))
c = Counter("abracadabra")
print(c, c["a"], c["z"], c.most_common(2), sum(c.values()), c.total(), sorted(c.elements())[:6], c + Counter("aaz"), c - Counter("aaaab"), c & Counter("ab"), c | Counter("zz"))
c.update("zzz"); c["q"] += 2; c.subtract("a"); print(c.most_common(3), dict(c)["z"], Counter(a=1) == Counter("a"))
dd = defaultdict(list)
dd["a"].append(1); dd["b"].append(2); dd["a"].append(3)
print(dd, dict(dd), dd.get("z"), "z" in dd, defaultdict(int, a=1)["b"])
od = OrderedDict([("a", 1), ("b", 2), ("c", 3)])
od.move_to_end("a"); print(od, od.popitem(), od.popitem(last=False), OrderedDict(a=1, b=2) == OrderedDict(b=2, a=1), OrderedDict(a=1) == {"a": 1})
cm = ChainMap({"a": 1}, {"a": 2, "b": 3})
print(cm["a"], cm["b"], dict(cm), len(cm), cm.get("z", 0), cm)
#---- deque errors
from collections import deque
try: deque().pop()
except IndexError as e: print(e)
try: deque([1])[5]
except IndexError as e: print(e)
d = deque([1, 2])
try:
    for x in d: d.append(x)
except RuntimeError as e: print(e)
deque([1], -1)
#---- namedtuple missing
from collections import namedtuple
P = namedtuple("P", ["x", "y"])
P(1)
#---- namedtuple is not changed (other message)
from collections import namedtuple
P = namedtuple("P", ["x", "y"])
p = P(1, 2)
p.x = 3
#---- namedtuple bad name
from collections import namedtuple
namedtuple("P", "x class")
#---- defaultdict without factory
from collections import defaultdict
defaultdict()["k"]
#---- typing
from typing import NamedTuple, Generic, TypeVar, Protocol, Optional, Union, List, Dict, Callable, Any, runtime_checkable, cast, TYPE_CHECKING, Literal, Final, overload, get_type_hints, NewType
import typing
class P(NamedTuple):
    "a point"
    x: float
    y: float = 2.0
    def norm(self): return self.x + self.y
p = P(1.0)
print(p, p.norm(), p.y, p._replace(x=3), P.__doc__, P._fields, isinstance(p, tuple), p == (1.0, 2.0))
T = TypeVar("T")
class Box(Generic[T]):
    def __init__(self, v: T): self.v = v
    def get(self) -> T: return self.v
class IntBox(Box[int]): pass
print(Box[int](3).get(), Box("a").v, IntBox(4).get(), T)
@runtime_checkable
class Runs(Protocol):
    def run(self) -> None: ...
class A:
    def run(self): pass
print(isinstance(A(), Runs), isinstance(3, Runs), cast(int, "x"), TYPE_CHECKING)
def f(x: Optional[int], y: Union[int, str] = 1, *z: List[int], g: Callable[[int], str] = str) -> Dict[str, Any]: return {}
UserId = NewType("UserId", int)
V: Final = 3
x: Literal["a", "b"] = "a"
print(f(1), UserId(5), V, get_type_hints(A.run))
Point = NamedTuple("Point", [("a", int), ("b", int)])
print(Point(1, 2), typing.Any is not None)
Vec = list[float]
Num = int | float
def g(v: Vec, n: Num, t: tuple[int, ...], d: dict[str, list[int]]) -> None: print(v, n)
g([1.0], 2, (1,), {})
#---- operator
import operator as op
from operator import itemgetter, attrgetter, methodcaller
print(op.add(1, 2), op.mul(3, 4), op.getitem([1, 2], 0), op.contains([1], 1), op.neg(3), op.truediv(1, 4), op.and_(6, 3), op.not_(0), op.eq(1, 1.0))
print(sorted([(1, "b"), (2, "a")], key=itemgetter(1)), itemgetter(0, 2)("abc"), methodcaller("upper")("x"), attrgetter("real", "imag")(3), attrgetter("__class__.__name__")(1.5), max({"a": 3, "b": 5}.items(), key=op.itemgetter(1)))
#---- copy
import copy
class N:
    def __init__(self): self.l = [1]; self.me = self
a = [[1], {"k": (2, [3])}, {4}]
b, c = copy.copy(a), copy.deepcopy(a)
a[0].append(9)
print(b, c, copy.deepcopy((1, "a")), copy.copy({1: 2}))
n = N()
m, k = copy.copy(n), copy.deepcopy(n)
n.l.append(2)
print(m.l, k.l, k.me is k, m.me is n, type(k).__name__)
from collections import deque, Counter, namedtuple
print(copy.deepcopy(Counter("aab")), copy.copy(deque([1], 2)), copy.deepcopy(deque([[1]])))
r = []; r.append(r); s = copy.deepcopy(r); print(s[0] is s)
#---- contextlib
from contextlib import contextmanager, suppress, closing, nullcontext, ExitStack
@contextmanager
def tag(n):
    print("<" + n + ">")
    try: yield n.upper()
    except ValueError as e: print("caught", e)
    finally: print("</" + n + ">")
with tag("a") as t: print(t)
with tag("b"): raise ValueError("x")
with suppress(KeyError, ZeroDivisionError): 1 / 0
with nullcontext(5) as v: print(v)
with ExitStack() as s:
    s.enter_context(tag("p")); s.callback(print, "bye"); s.enter_context(tag("q"))
@tag("deco")
def f(): print("in f")
f()
with tag("c"): raise KeyError("out")
#---- statistics
import statistics as st
d = [1.5, 2.5, 2.5, 2.75, 3.25, 4.75]
print(st.mean(d), st.median(d), st.stdev(d), st.variance(d), st.pstdev(d), st.pvariance(d), st.mode(d), st.fmean(d))
print(st.mean([1, 2, 3]), st.mean([1, 2]), st.median([1, 2, 3, 4]), st.median_low([1, 2, 3, 4]), st.median_high([1, 2, 3, 4]), st.multimode("aabbc"), st.quantiles(d), st.quantiles(d, n=3, method="inclusive"))
print(st.geometric_mean([54, 24, 36]), st.harmonic_mean([40, 60]), st.variance([1, 2, 3, 4]), st.stdev([1, 2, 3, 4]), st.pvariance([0, 1]), st.mean([1e30, 1, -1e30]), st.mean([0.1] * 10))
print(st.correlation([1, 2, 3], [2, 4, 7]), st.covariance([1, 2, 3], [2, 4, 7]), st.linear_regression([1, 2, 3], [2, 4, 7]), st.NormalDist(1, 2).cdf(1.5), st.NormalDist(0, 1).pdf(0.5))
try: st.mean([])
except st.StatisticsError as e: print(e)
st.stdev([1])
#---- json
import json
s = '{"a": [1, 2.5, -3e2, true, false, null], "b": {"c": "x\\u00e9\\n\\ud83d\\ude00"}, "big": 123456789012345678901234567890}'
v = json.loads(s)
print(v, json.dumps(v), json.dumps(v, indent=2, sort_keys=True), json.dumps([1, "ä", None, True, 1.0, 1e100, (1, 2)], ensure_ascii=False, separators=(",", ":")))
print(json.dumps({}), json.dumps([]), json.dumps({1: 2, None: 3, True: 4, 1.5: 5}), json.dumps("\x00\x1f\"\\/"), json.loads("[NaN, Infinity]"), json.dumps(float("nan")), json.dumps({"a": []}, indent=1), json.dumps([[], {}], indent="\t"))
print(json.loads("1.0", parse_float=str), json.loads('{"a": 1}', object_hook=lambda d: list(d.items())), json.dumps({1, 2}, default=sorted))
for bad in ('', '{', '[1,]', '{"a" 1}', '{a: 1}', 'nul', '"abc', '[1 2]', '1 2', '{"a": 1,}', '"\\x"', '"\n"', '\n\n  x', '-', '01'):
    try: print(json.loads(bad))
    except json.JSONDecodeError as e: print(repr(bad), e)
try: json.dumps({(1, 2): 3})
except TypeError as e: print(e)
try: json.dumps(float("inf"), allow_nan=False)
except ValueError as e: print(e)
l = []; l.append(l)
try: json.dumps(l)
except ValueError as e: print(e)
json.dumps(object)
#---- json of files
import json
with open("gains.json") as f: g = json.load(f)
print(g["kp"], g["axes"])
from io import StringIO
o = StringIO(); json.dump(g, o); print(o.getvalue())
#---- csv
import csv
from io import StringIO
text = 'a,b,c\n1,"x, y",3\n4,"he said ""hi""",\n\n"two\nlines",5,6\n'
print(list(csv.reader(StringIO(text))), list(csv.DictReader(StringIO(text)))[:2], list(csv.reader(["a;b", "c;'d;e'"], delimiter=";", quotechar="'")), list(csv.reader(["1,2.5,\"x\""], quoting=csv.QUOTE_NONNUMERIC)))
o = StringIO()
w = csv.writer(o)
w.writerow([1, 2.5, "a,b", 'q"q', None, "", "line\nbreak", True]); w.writerows([[1], ["x", "y"]])
print(repr(o.getvalue()))
o = StringIO()
d = csv.DictWriter(o, ["a", "b"], lineterminator="\n"); d.writeheader(); d.writerow({"a": 1, "b": 2}); d.writerow({"a": 3})
print(repr(o.getvalue()), [row for row in csv.reader(["a\tb"], dialect="excel-tab")])
with open("log.csv", newline="") as f:
    for row in csv.DictReader(f): print(float(row["t"]), row["x"])
#---- reading files
with open("lines.txt") as f: print(repr(f.read()))
f = open("lines.txt", "r", encoding="utf-8")
print(f.readline(), f.read(3), f.readlines(), f.read(), f.closed)
f.close(); print(f.closed)
print([line.strip() for line in open("lines.txt")], open("lines.txt", "rb").read(5), sum(len(l) for l in open("lines.txt")))
with open("lines.txt") as f:
    next(f)
    for i, line in enumerate(f): print(i, repr(line))
    f.seek(0); print(f.readline())
try: f.read()
except ValueError as e: print(e)
import os
from pathlib import Path
print(os.path.exists("lines.txt"), os.path.isfile("nope"), os.path.join("a", "b.txt"), os.path.splitext("x/y.tar.gz"), os.path.basename("a/b"), sorted(os.listdir(".")))
print(Path("lines.txt").read_text()[:5], Path("a") / "b.csv", Path("a/b.csv").suffix, Path("a/b.csv").stem, Path("x").exists(), Path("a/b/c").parent.name, str(Path("a//b/./c")))
open("missing.txt")
#---- bad mode
open("lines.txt", "q")
#---- random
import random
random.seed(42)
print(random.random(), random.randint(1, 100), random.uniform(-1, 1), random.gauss(0, 1), random.gauss(5, 2), random.choice("abc"), random.getrandbits(70), random.randrange(0, 100, 7))
x = list(range(10)); random.shuffle(x); print(x, random.sample(range(1000), 5), random.sample(x, 8), random.choices("abc", weights=[1, 2, 3], k=6), random.choices([1, 2], k=3))
print(random.normalvariate(0, 1), random.expovariate(1.5), random.triangular(0, 1, 0.3), random.betavariate(2, 3), random.gammavariate(0.5, 1), random.gammavariate(2.5, 1), random.lognormvariate(0, 1), random.vonmisesvariate(0, 1), random.paretovariate(3), random.weibullvariate(1, 2))
s = random.getstate(); a = [random.random() for _ in range(3)]; random.setstate(s); print(a == [random.random() for _ in range(3)], len(s[1]), s[0])
for seed in (0, 1, -5, 2 ** 70, 1.5, -0.1, 3.0, 1e300, "text", b"bytes", True, ""):
    r = random.Random(seed); print(seed, r.random(), r.randint(0, 10 ** 20), r.getrandbits(32))
r = random.Random(7)
print([r.randint(0, 2 ** 40) for _ in range(4)], r.randbytes(5), [r.randrange(10) for _ in range(800)][-3:])
try: random.randrange(0)
except ValueError as e: print(e)
try: random.randint(5, 1)
except ValueError as e: print(e)
try: random.sample([1], 2)
except ValueError as e: print(e)
try: random.choice([])
except IndexError as e: print(e)
random.seed([1])
#---- time
import time
a, b = time.perf_counter(), time.monotonic()
time.sleep(0.002)
print(time.perf_counter() - a >= 0.002, time.monotonic() > b, time.time() > 1.6e9, type(time.time_ns()).__name__, type(time.perf_counter_ns()) is int)
time.sleep(-1)
#---- sys
import sys
print(sys.argv, sys.maxsize, sys.float_info.epsilon, sys.float_info.max, sys.version_info >= (3, 8), sys.version_info.major, sys.version_info[:1], sys.byteorder)
sys.stdout.write("written\n"); print("x", file=sys.stdout); print("flushed", flush=True)
sys.exit(3)
#---- string, heapq, bisect
import string, heapq, bisect
print(string.ascii_lowercase, string.digits, string.punctuation, string.Template("$a ${b} $$").substitute(a=1, b="x"), string.capwords("ab cd"))
h = [5, 1, 4]; heapq.heapify(h); heapq.heappush(h, 0); print([heapq.heappop(h) for _ in range(4)], heapq.nlargest(2, [1, 5, 3]), heapq.nsmallest(2, [3, 1, 2]), list(heapq.merge([1, 4], [2, 3])))
l = [1, 3, 3, 5]; print(bisect.bisect(l, 3), bisect.bisect_left(l, 3)); bisect.insort(l, 4); print(l)
#---- abstract containers
from collections.abc import Sequence, Mapping, Iterable, Callable, Sized, Hashable, Iterator, MutableSequence, Set
from collections import deque
print(isinstance([], Sequence), isinstance("", Sequence), isinstance({}, Mapping), isinstance(3, Iterable), isinstance(len, Callable), isinstance((), Hashable), isinstance([], Hashable), isinstance(iter([]), Iterator), isinstance(set(), Set), isinstance(range(3), Sequence), isinstance((), MutableSequence), isinstance({}, Sized))
class Seq(Sequence):
    def __len__(self): return 3
    def __getitem__(self, i):
        if i >= 3: raise IndexError
        return i * i
s = Seq()
print(list(s), 4 in s, s.index(4), s.count(1), isinstance(s, Sequence), list(reversed(s)))
from numbers import Number
print(isinstance(1, Number), isinstance("", Number))
from types import SimpleNamespace
print(SimpleNamespace(a=1, b="x"), SimpleNamespace(a=1) == SimpleNamespace(a=1))
#---- import errors (other message)
from math import sqr
#---- dates
import time
g = time.gmtime(86400 * 365.25 * 30 + 3.7)
print(g, g.tm_year, g[3], len(g), g.tm_zone, g.tm_gmtoff, tuple(g))
print(time.strftime("%Y-%m-%d %H:%M:%S %j %a %A %b %B %y %I %p %% %U %W %w %u %e %V %G %F %T %D %R %c|%x|%X %h %C", g))
l = time.localtime(1700000000)
print(time.mktime(l), time.mktime((2024, 2, 30, 25, 0, 0, 0, 0, -1)) == time.mktime((2024, 3, 2, 1, 0, 0, 0, 0, -1)))
print(time.asctime(g), time.strftime("%d.%m.%Y", (2024, 5, 6, 0, 0, 0, 0, 0, 0)), len(time.ctime()), time.asctime(time.gmtime(0)))
for f in (lambda: time.strftime("%Y", (1, 2)), lambda: time.strftime("%Y", 5), lambda: time.mktime(3), lambda: time.gmtime("x"), lambda: time.strftime("%Y", (2024, 13, 1, 0, 0, 0, 0, 1, 0)),
          lambda: time.gmtime(float("nan")), lambda: time.struct_time((1, 2)), lambda: time.strftime(3), lambda: time.mktime((1, 2, 3))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
print(g == time.gmtime(946728003), isinstance(g, tuple), time.localtime(0) < time.localtime(10**6), time.strftime("%H:%M", time.localtime(3600 * 5)) == "%02d:00" % time.localtime(3600 * 5).tm_hour)
y, m, *rest = g
print(y, m, rest, time.daylight in (0, 1), len(time.tzname), isinstance(time.timezone, int))
#---- duplicate members and csv errors
import csv
from enum import Enum, IntEnum
def a():
    class A(Enum):
        X = 1
        X = 2
def b():
    class B(IntEnum):
        X = 1
        def X(self): pass
def c():
    class C(Enum):
        def X(self): pass
        X = 1
def d():
    class D(Enum):
        X = 1
        Y = 1
        def f(self): return 1
        def f(self): return 2
    print(D.Y is D.X, list(D), D.X.f())
for f in (a, b, d): 
    try: f()
    except TypeError as e: print(str(e).split(" at 0x")[0])
try: c()
except TypeError as e: print("refused")
for f in (lambda: list(csv.reader([1])), lambda: list(csv.reader(['"a'], strict=True)), lambda: list(csv.reader(["a" * 200000]))):
    try: print(f())
    except csv.Error as e: print(type(e).__name__, e)
#---- time.strptime
import time, random
def show(*args):
    try:
        t = time.strptime(*args)
        print(args, tuple(t), t.tm_zone, t.tm_gmtoff)
    except Exception as e: # a directive twice is an error of module re in CPython
        if "twice" in str(e) or "redefinition" in str(e): print(args, "twice")
        else: print(args, type(e).__name__, e)
for args in (("x",), ("Mon Jan  1 10:20:30 2024",), (1,), ("x", 2), ("%", "%%"), ("a", "%"), ("a", "a%"), ("a", "%Q"), ("a", "%."), ("a", "%é"), ("a", "%E"),
             ("2024\t1", "%Y %m"), ("2024 \n 1", "%Y %m"), ("20241", "%Y %m"), ("a.b", "a.b"), ("aXb", "a.b"), ("", ""), ("x", ""), ("12", "%d%m"), ("111", "%d%m"),
             ("29 Feb", "%d %b"), ("30 Feb", "%d %b"), ("Feb 29 1900", "%b %d %Y"), ("2024-02-30", "%Y-%m-%d"), ("2024-01-02 extra", "%Y-%m-%d"), ("12 AM", "%I %p"),
             ("12 PM", "%I %p"), ("12", "%I"), ("5 PM 7", "%I %p %H"), ("5 20 PM", "%H %I %p"), ("0000", "%Y"), ("366 2023", "%j %Y"), ("12", "%V"), ("2020 12", "%G %V"),
             ("2020 3 2 1", "%G %V %u %j"), ("2020 12 1", "%Y %V %u"), ("utc", "%Z"), ("Nowhere", "%Z"), ("+01:02:03.5 Z", "%z Z"), ("-0130", "%z"), ("+01:0203", "%z"), ("z", "%z"),
             ("MARCH", "%B"), ("mar 5 68", "%b %d %y"), ("mar 5 69", "%b %d %y"), ("23:59:61.5", "%H:%M:%S.%f")):
    show(*args)
for year in ("2015", "2016", "2020", "2023", "2024"):
    for week in (0, 1, 2, 52, 53):
        for day in (1, 4, 7):
            for f in ("%G %V %u", "%Y %U %u", "%Y %W %u"): show(f"{year} {week:02} {day}", f)
values = {"a": ("Mon", "tue", "Xyz"), "A": ("Monday", "sunday", "Fri"), "b": ("Jan", "MAY", "Sept"), "B": ("February", "MAY"), "c": ("Mon Jan  1 10:20:30 2024", "x"),
          "d": ("1", "01", "31", " 7", "32", "0"), "f": ("0", "123456", "1234567"), "G": ("2020", "20"), "H": ("0", "23", "24"), "I": ("12", "1", "13"), "j": ("1", "060", "366", "367"),
          "m": ("1", "02", "12", "13"), "M": ("0", "59", "60"), "p": ("AM", "pm", "xm"), "S": ("0", "61", "62"), "u": ("1", "7", "0"), "U": ("0", "53", "54"), "V": ("1", "53", "0"),
          "w": ("0", "6", "7"), "W": ("00", "1", "53"), "x": ("02/29/24", "02/30/20"), "X": ("10:11:12", "24:00:00"), "y": ("00", "68", "69", "7"), "Y": ("2024", "1900", "24"),
          "z": ("+01:00", "-0530", "Z", "+010203"), "Z": ("UTC", "gmt"), "%": ("%",)}
rng = random.Random(5)
for n in range(500):
    sep = rng.choice(["", " ", "-", ":", "  "])
    ds = rng.sample(sorted(values), rng.randint(1, 5))
    show(sep.join([rng.choice(values[d]) for d in ds]), sep.join(["%" + d for d in ds]))
#---- time.strptime with a directive twice (other message)
import time
try: time.strptime("1 2", "%d %d")
except Exception: raise ValueError("twice")
#---- arguments of methods without any
for f in (lambda: (5).bit_length(1), lambda: (5).conjugate(x=1), lambda: (0.5).is_integer(2), lambda: {1}.copy(1), lambda: b"a".hex): 
    try: print(f() is None)
    except TypeError: print("refused")
#---- small gaps of the library
import statistics, csv, io, os, os.path
for data in ([1, 3, 3, 5, 7], [52, 52, 53, 54], [1], [], ["a"], [1.5, 2.5, 2.5, 2.5, 9]):
    for interval in (1, 2, 0.5):
        try: print(statistics.median_grouped(data, interval))
        except Exception as e: print(type(e).__name__)
csv.register_dialect("own", delimiter=";")
csv.unregister_dialect("own")
try: csv.unregister_dialect("own")
except csv.Error as e: print(e)
print(io.SEEK_SET, io.SEEK_CUR, io.SEEK_END, os.SEEK_SET, os.SEEK_CUR, os.SEEK_END)
print(os.path.altsep, os.path.pathsep, os.path.devnull, os.path.normcase("A/b"), os.path.splitdrive("a/b"), os.path.splitdrive("/x"))
