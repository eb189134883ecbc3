#---- list basics
a = [1, 2, 3]
a.append(4); a.extend([5, 6]); a.insert(0, 0); a.insert(-1, 99); a.insert(100, 7)
print(a, len(a), a.pop(), a.pop(0), a.index(3), a.count(99), 99 in a, a)
a.remove(99); a.reverse(); print(a); a.sort(); print(a); a.clear(); print(a)
b = [3, 1, 2]; c = b.copy(); c.sort(reverse=True); print(b, c, b + c, b * 2, 2 * b, b == [3, 1, 2], b != c, b < c, [1, 2] < [1, 2, 3], [] < [1])
#---- list slices
a = list(range(10))
print(a[2:5], a[::3], a[::-2], a[-3:], a[5:2], a[5:2:-1], a[100:], a[-100:2], a[:], a[slice(1, 4)], a[True])
a[2:5] = [20, 30]; print(a); a[::2] = [0] * 5; print(a); del a[0], a[-1]; print(a); del a[1:3]; print(a); a[1:1] = "xy"; print(a); del a[::2]; print(a); a[:] = []; print(a)
#---- slice assignment size
a = [1, 2, 3, 4]
a[::2] = [1]
#---- slice assignment type
a = [1]
a[0:1] = 5
#---- slice step zero
[1, 2][::0]
#---- slice bad index
[1, 2]["a":]
#---- list index error
[1, 2][5]
#---- list index type
[1, 2]["a"]
#---- list assign index error
a = [1]
a[3] = 1
#---- list delete index error
a = [1]
del a[3]
#---- pop empty
[].pop()
#---- pop range
[1].pop(5)
#---- remove missing
[1].remove(2)
#---- index missing
[1, 2].index(3)
#---- list concat error
[1] + (2,)
#---- list repeat error
[1] * 1.5
#---- list call
[1](2)
#---- augmented
a = [1]; b = a; a += [2]; a += (3,); a *= 2; print(a, b, a is b); t = (1,); u = t; t += (2,); print(t, u, t is u); s = {1}; r = s; s |= {2}; s -= {1}; print(s, r, s is r); d = {1: 1}; d |= {2: 2}; print(d, d | {3: 3})
#---- augmented iterates
a = []; a += "ab"; a += range(2); print(a)
#---- sort
words = ["banana", "Apple", "cherry", "fig"]
print(sorted(words), sorted(words, key=len), sorted(words, key=str.lower, reverse=True), sorted([(1, "b"), (1, "a"), (0, "z")]), sorted([3, 1.5, True]), sorted("hello", reverse=True), sorted({3: 1, 1: 2}), sorted([[2], [1, 5], [1]]))
data = [(i % 3, i) for i in range(9)]
print(sorted(data, key=lambda p: p[0]), sorted(data, key=lambda p: p[0], reverse=True))
#---- sort error
sorted([1, "a"])
#---- sort positional (other message)
[1].sort(len)
#---- tuple
t = (1, 2, 3)
print(t, (1,), (), t + (4,), t * 2, t[0], t[-1], t[1:], t.index(2), t.count(1), 2 in t, t == (1, 2, 3), t < (1, 3), tuple([1, 2]), tuple("ab"), hash(t) == hash((1, 2, 3)), len(t), max(t))
#---- tuple assign
t = (1, 2)
t[0] = 5
#---- tuple index
(1, 2)[2]
#---- tuple missing
(1,).index(2)
#---- unpacking
a, b = 1, 2; a, b = b, a; print(a, b)
(a, b), c = (1, 2), 3; print(a, b, c); [a, b] = "xy"; print(a, b)
a, *b = [1, 2, 3]; print(a, b); *a, b = "abc"; print(a, b); a, *b, c = range(6); print(a, b, c); a, *b = [1]; print(a, b)
for i, (x, y) in enumerate([(1, 2), (3, 4)]): print(i, x, y)
print([*range(3), *"ab"], (*[1], 2), {*[1, 2], 3}, {**{"a": 1}, "b": 2, **{"a": 3}}, [*[]], *[1, 2])
x = y = z = []; x.append(1); print(y, z); a = b, c = 1, 2; print(a, b, c)
d = {}; d["k"], d["l"] = 1, 2; print(d)
#---- unpack too many
a, b = 1, 2, 3
#---- unpack too few
a, b, c = 1, 2
#---- unpack too few star
a, b, *c = [1]
#---- unpack not iterable
a, b = 5
#---- unpack star not iterable (other message)
print(*5)
#---- unpack string
a, b = "abc"
#---- dict basics
d = {"a": 1, "b": 2}
d["c"] = 3; d["a"] = 10
print(d, d["a"], d.get("z"), d.get("z", 0), d.get("a"), len(d), "a" in d, "z" in d, list(d), list(d.keys()), list(d.values()), list(d.items()), d.pop("b"), d.pop("q", None), d, d.setdefault("x", []), d.setdefault("a", 5), d)
d.update({"a": 1}, k=2); d.update([("m", 1), ("n", 2)]); print(d); del d["m"]; print(d.popitem(), d); e = d.copy(); e.clear(); print(e, bool(d), bool(e), d == dict(d), {} == {})
print(dict(a=1, b=2), dict([(1, 2)]), dict({1: 2}, x=3), dict.fromkeys("ab", 0), dict.fromkeys([1]), dict(zip("ab", [1, 2])), {1: "a", 1.0: "b", True: "c"}, {(1, 2): 3}[1, 2], {None: 1}[None])
#---- dict order after delete
d = {i: i for i in range(5)}; del d[2]; d[2] = "new"; d[0] = "zero"; print(d, list(reversed(d)))
for i in range(100): d[i] = i
for i in range(0, 100, 2): del d[i]
for i in range(50, 60): d[i] = -i
print(d, len(d), 51 in d, 52 in d)
#---- dict views
d = {"a": 1, "b": 2}; k = d.keys(); d["c"] = 3
print(k, d.values(), d.items(), len(k), "c" in k, ("a", 1) in d.items(), ("a", 2) in d.items(), 2 in d.values(), sorted(k & {"a", "z"}), sorted(k | {"z"}), sorted(k - {"a"}), k == {"a", "b", "c"}, list(reversed(k)))
for k, v in d.items(): print(k, v)
#---- dict key error
{"a": 1}["b"]
#---- dict int key error
{}[(1, 2)]
#---- dict pop missing
{}.pop("a")
#---- dict delete missing
d = {}
del d["x"]
#---- popitem empty
{}.popitem()
#---- unhashable key
{[1]: 2}
#---- unhashable in tuple
{(1, [2]): 3}
#---- unhashable set
{{1}}
#---- unhashable lookup
[] in {}
#---- dict changed during iteration
d = {1: 1}
for k in d:
    d[k + 1] = 1
#---- dict changed by value only
d = {1: 1, 2: 2}
for k in d: d[k] = 0
print(d)
#---- dict update bad
dict([1])
#---- dict update bad length
dict([(1, 2, 3)])
#---- dict plus dict
{} + {}
#---- set
s = {1, 2}
s.add(3); s.add(1); s.discard(9); s.remove(2)
print(sorted(s), len(s), 1 in s, sorted(s | {7}), sorted(s & {1}), sorted(s - {1}), sorted(s ^ {1, 8}), {1} < {1, 2}, {1} <= {1}, {1, 2} > {1}, {1} == {1}, {1} != {2}, s.issubset({1, 3, 5}), s.issuperset([1]), s.isdisjoint([9]), sorted(s.union([10], [11])), sorted(s.intersection([1])), sorted(s.difference([1])), sorted(s.symmetric_difference([1, 5])))
s.update([5], [6]); s.intersection_update({1, 5, 6}); s.difference_update([6]); print(sorted(s), s.pop() in (1, 5), len(s)); s.clear(); print(s, set(), set("a"), frozenset([1]), frozenset(), {frozenset([1, 2]): 1}[frozenset([2, 1])], {1, 1.0, True}, sorted(set([3, 1, 2, 1])))
#---- set remove missing
{1}.remove(2)
#---- set pop empty
set().pop()
#---- set index
{1}[0]
#---- set plus
{1} + {2}
#---- set or list
{1} | [2]
#---- frozenset add
frozenset().add(1)
#---- range
r = range(2, 20, 3)
print(r, list(r), len(r), r[0], r[-1], r[1:3], r[::-1], 5 in r, 6 in r, 5.0 in r, r.index(8), r.count(8), range(5), range(0), list(range(5, 0, -2)), range(3) == range(0, 3, 1), range(0) == range(5, 5), list(reversed(range(4))), r.start, r.stop, r.step, bool(range(0)), sum(range(1000000)), hash(range(3)) == hash(range(3)), range(10)[::3], max(range(5)), range(10**12)[10**11], 10**11 in range(10**12))
#---- range step zero
range(1, 2, 0)
#---- range float
range(1.5)
#---- range index error
range(3)[3]
#---- range assign
range(3)[0] = 1
#---- nested
m = [[0] * 3 for _ in range(2)]; m[0][1] = 5; print(m, [list(r) for r in zip(*m)], [[j for j in range(i)] for i in range(4)], {i: [j for j in "ab"] for i in range(2)})
a = [1]; a.append(a); print(a); d = {}; d["d"] = d; print(d); t = ([],); t[0].append(t); print(t)
#---- comprehensions
print([x for x in range(10) if x % 2 if x > 3], [(x, y) for x in range(3) for y in range(x)], {x % 3 for x in range(9)} == {0, 1, 2}, {x: x * x for x in range(4)}, list(x for x in "ab"), [[y for y in range(x)] for x in range(3)], [x for x, in [(1,), (2,)]], [a if a else "z" for a in [0, 1]])
x = "outer"; print([x for x in range(3)], x); fs = [lambda: i for i in range(3)]; print([f() for f in fs]); print(sum(i * i for i in range(5)), max((i for i in [3, 1]), default=0), any(i > 2 for i in range(4)), all([]), any([]))
#---- comprehension error
[1 / x for x in [1, 0]]
#---- zip map filter
print(list(zip([1, 2], "ab", [True, False, 3])), list(zip()), list(map(lambda a, b: a + b, [1, 2], [3, 4, 5])), list(map(str, [1, 2])), list(filter(None, [0, 1, "", "a"])), list(filter(lambda x: x > 1, [1, 2, 3])), list(enumerate("ab")), list(enumerate("ab", start=5)), dict(map(lambda k: (k, 1), "ab")), list(reversed([1, 2])), list(zip([1], [2], strict=True)))
z = zip([1, 2, 3], [4, 5]); print(next(z), next(z), next(z, "end"))
#---- zip strict
list(zip([1, 2], [1], strict=True))
#---- next stop
next(iter([]))
#---- next not iterator
next([1])
#---- iter not iterable
iter(5)
#---- for not iterable
for x in 5: pass
#---- len error
len(5)
#---- subscript error
5[0]
#---- none subscript
None[0]
#---- item assign error
(5)[0] = 1
#---- iter functions
it = iter([1, 2, 3]); print(next(it), list(it), list(it), next(it, None)); n = iter(int, 1); print(next(n)); vals = [1, 2, 0, 3]; print(list(iter(lambda: vals.pop(0), 0)), vals); i = iter("ab"); print(iter(i) is i)
a = [1, 2, 3]
for x in a:
    if x < 3 and len(a) < 6: a.append(x * 10)
print(a)
#---- bool of containers in conditions
for v in [[], [0], (), (0,), {}, {0: 0}, set(), {0}, "", " ", 0, 0.0, None, range(0), range(1), b"", b"0"]:
    print("yes" if v else "no", not v, bool(v), end=";")
print()
#---- deep equality
a = [1, [2, {"k": (3, 4)}]]; b = [1, [2, {"k": (3, 4)}]]; print(a == b, a is b, a != b, [1, 2] == (1, 2), {1: 2} == {1: 2.0}, [1.0] == [1], (1, [2]) == (1, [2]))
#---- tuple comparison error
(1, "a") < (1, 2)
#---- starred in index
d = {(1, 2): "x"}; k = (1, 2); print(d[*k], d[(*k,)])
#---- print options
print(1, 2, sep="-", end="!\n"); print(); print("a", end=""); print("b", sep=None); print(*[1, 2], sep="\n"); print([1.0, "a", None], {"k": (1,)})
#---- print bad keyword
print(1, foo=2)
