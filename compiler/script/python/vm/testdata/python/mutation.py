#---- dict changed by eq
class E:
    def __eq__(self, o): d.clear(); return False
    def __hash__(self): return 1
d = {E(): 1}
print(d.get(E()), d)
#---- list changed by sort
class L:
    def __lt__(self, o): l.append(1); return False
l = [L(), L(), L()]
l.sort()
#---- list changed by index
class X:
    def __index__(self): a.clear(); return 1
a = [1, 2, 3]
a[X()]
#---- list changed by assigned index
class X:
    def __index__(self): a.clear(); return 1
a = [1, 2, 3]
a[X()] = 5
#---- list changed by slices
class Y:
    def __index__(self): a.clear(); return 5
a = list(range(10)); print(a[Y():])
a = list(range(10)); del a[Y():]; print(a)
a = list(range(10)); a[Y():8] = [1]; print(a)
a = list(range(10)); a.insert(Y(), 1); print(a)
#---- list changed by comparison
class R:
    def __eq__(self, o): a.clear(); return o == 1
a = [R(), 1, 2]; print(a == [1, 2, 3])
a = [R(), 1, 2]; print(5 in a)
a = [R(), 1, 2]; print(a == [5, 2, 3])
#---- remove changed by comparison
class R:
    def __eq__(self, o): a.clear(); return False
a = [R(), 1, 2]
a.remove(5)
#---- extreme slices
n = 9223372036854775807
print([1, 2, 3][-n - 1:n:-n - 1], "abc"[::n], [1, 2][n:], "abc"[:-n - 1], [1, 2, 3][::-n])
#---- extreme numbers
print(1 >> 10**30, -1 >> 10**30, round(5, -100), round(1.5, 10**30), abs(-9223372036854775808), divmod(-9223372036854775808, -1), pow(0, 0, 1), pow(5, 3, -7), pow(2, -1, 1))
#---- extreme repeat
"ab" * 10**30
#---- caught recursion
def rec():
    try: rec()
    except RecursionError: return "caught"
    return "ok"
print(rec())
