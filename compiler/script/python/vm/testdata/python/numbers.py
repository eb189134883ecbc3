#---- int arithmetic
print(7 + 3, 7 - 9, 7 * -3, 7 / 2, 7 // 2, 7 % 3, 2 ** 10, -7 // 2, -7 % 3, 7 // -2, 7 % -3, -7 // -2, -7 % -3)
#---- int overflow to big
a = 9223372036854775807
print(a, a + 1, -a - 1, -a - 2, a * a, a * -1, (a + 1) - 1, -(-a - 1), abs(-a - 1))
print((-9223372036854775808) // -1, (-9223372036854775808) % -1, -9223372036854775808 * -1)
print(3037000500 * 3037000500, 4294967296 * 4294967296, -4294967296 * 2147483648)
#---- big int operators
b = 123456789012345678901234567890
print(b + b, b - 1, b * 3, b // 7, b % 7, -b // 7, -b % 7, b // -7, b % -7, b ** 2, b / 3, -b >> 3, b << 70, b & 0xffff, b | 1, b ^ b)
print(b == b + 0, b < b + 1, b > 1.5, b == float(b), hash(b) == hash(b + 0), 2**64 == 2.0**64, 2**64 + 1 == 2.0**64)
print(10**30 // 10**29, 10**30 / 10**29, int(1e30), float(10**22), 10**22 == 1e22)
#---- pow
print(2 ** 0, 0 ** 0, 2 ** -2, (-2) ** 3, -2 ** 2, 2 ** 3 ** 2, 1 ** 1000000000000, (-1) ** 999999999999, 0 ** 5, 2.0 ** 3, 4 ** 0.5, pow(3, 4), pow(3, 4, 5), pow(3, -1, 7), pow(2, 100, 1000000007))
#---- pow zero negative
0 ** -1
#---- pow zero float
0.0 ** -1
#---- pow mod zero
pow(2, 3, 0)
#---- pow not invertible
pow(2, -1, 4)
#---- bit operators
print(6 & 3, 6 | 3, 6 ^ 3, ~6, ~-1, 1 << 10, -1 << 3, 1024 >> 3, -5 >> 1, 5 >> 100, -5 >> 100, 1 << 64, (1 << 64) >> 60, 0 << 1000)
print(True & False, True | 1, True ^ True, True + True, ~True, -True, +True)
#---- negative shift
1 << -1
#---- float arithmetic
print(1.5 + 2, 0.1 + 0.2, 1e308 * 10, -1e308 * 10, 7.5 // 2, -7.5 // 2, 7.5 % 2, -7.5 % 2, 7.5 % -2, 5.0 % 5.0, -5.0 % 5.0, 5 % 3.5, 1e-320, 2.5e-324)
print(0.0 // 1, -0.0 // 1, 0.0 % -1, 1 // 0.3, 3.0 // 0.1, 1e20 // 3, 1e20 % 3)
#---- float repr
for x in [1.0, 1.5, 100.0, 1e15, 1e16, 1e17, 123456789012345680.0, 0.0001, 0.00001, 1.23e-5, 1e100, 1e-100, 1/3, 2/3, 1e22, 1e23, 5e-324, 1.7976931348623157e308, -0.0, 0.1, 1e5, 123456.789, 9007199254740993.0]:
    print(x, repr(x), str(-x))
#---- inf and nan
inf = float('inf'); nan = float('nan')
print(inf, -inf, nan, inf - inf, inf * 0, inf > 1, nan == nan, nan != nan, nan < 1, inf == inf, min(1, inf), max(-inf, 2), [nan] == [nan], inf // 2, 5 % inf, -5 % inf)
x = nan
print(x in [x], [x] == [x], x is x)
#---- float to int
print(int(3.9), int(-3.9), int(1e20), round(2.5), round(3.5), round(-2.5), round(0.5), round(1.5), round(2.675, 2), round(1234.5678, -2), round(1e300), round(15, -1), round(25, -1), round(-15, -1), round(1234, 2), round(0.1 + 0.2, 10))
print(type(round(2.5)), type(round(2.5, 0)), round(5.5, None), round(1.005, 2), round(99.995, 2), round(-0.4), round(1e-5, 3), round(123456, -4), round(True))
#---- int of inf
int(float('inf'))
#---- int of nan
int(float('nan'))
#---- round bad type
round("a")
#---- division by zero
1 / 0
#---- floor division by zero
1 // 0
#---- modulo by zero
1 % 0
#---- float division by zero
1.0 / 0
#---- float floor division by zero
1.0 // 0
#---- float modulo by zero
1.0 % 0.0
#---- big division by zero
10**30 // 0
#---- int too large for float
float(10 ** 400)
#---- int true division exact
print(10**400 // 10**399, 10**400 / 10**399, (2**53 + 1) / 1, 9007199254740993 / 9007199254740992, 1 / 10**300, -3 / 2**70)
#---- int division overflow
10**400 / 1
#---- int parsing
print(int("42"), int("  -17 "), int("1_000"), int("ff", 16), int("0xff", 16), int("0b101", 0), int("0o17", 0), int("z", 36), int("+5"), int("-0"), int("123456789012345678901234567890"), int(True), int())
#---- int parse error
int("12a")
#---- int parse empty
int("")
#---- int parse base error
int("9", 8)
#---- int parse float text
int("3.5")
#---- int of none
int(None)
#---- int of list
int([1])
#---- float parsing
print(float("1.5"), float(" -2e3 "), float("inf"), float("-Infinity"), float("nan"), float("1_0.5"), float(".5"), float("5."), float(), float(3), float(True))
#---- float parse error
float("abc")
#---- float parse hex
float("0x10")
#---- int methods
print((255).bit_length(), (0).bit_length(), (-256).bit_length(), (5).bit_count(), (3).real, (3).imag, (3).numerator, (3).denominator, (2.5).is_integer(), (2.0).is_integer(), (0.75).as_integer_ratio(), (10).as_integer_ratio(), (1.5).hex(), (-0.1).hex(), (0.0).hex(), (1e-310).hex())
#---- bases
print(hex(255), oct(8), bin(5), hex(-255), bin(-5), oct(-8), hex(10**20), 0xff, 0o17, 0b101, 1_000_000, 0x_ff, 1e3, 1E-2, .5, 5., 0.5e+3)
#---- divmod
print(divmod(7, 3), divmod(-7, 3), divmod(7, -3), divmod(7.5, 2), divmod(-7.5, 2), divmod(10**20, 7), divmod(True, 2))
#---- divmod error
divmod("a", 1)
#---- abs min max sum
print(abs(-3), abs(-2.5), abs(True), min(3, 1, 2), max([3, 1, 2]), min("b", "a"), max("abc", key=ord), min([], default=7), sum([1, 2.5, True]), sum([[1], [2]], []), sum(range(101)), max((1, 'a'), (1, 'b')), min(1, 1.0), max(1, 1.0, True))
#---- min empty
min([])
#---- max mixed
max(1, "a")
#---- sum strings
sum(["a", "b"], "")
#---- sum mixed
sum([1, "a"])
#---- mixed comparison
print(1 < 2.5, 1 == 1.0, True == 1, 1 < True, 2**63 > 9.2e18, 2**1000 > 1e300, 2**1000 < float('inf'), 10**400 > 1e308, -10**400 < -1e308, 9007199254740993 == 9007199254740992.0, 9007199254740993 > 9007199254740992.0)
#---- compare error
1 < "a"
#---- add error
1 + "a"
#---- add error reversed
"a" + 1
#---- unary error
-"a"
#---- invert float
~1.5
#---- bit operator on float
1.5 & 1
#---- float matmul
1.0 @ 2
#---- bool arithmetic
print(True + 1, True * 3, True / 2, not 0, not 3, True is True, bool([]), bool([0]), bool(""), bool("0"), bool(0.0), bool(None), bool(()), bool({}), bool(range(0)))
#---- chained comparison
def f(x):
    print("f", x)
    return x
print(1 < f(2) < 3, 1 > f(2) > f(3), 1 < 2 == 2 != 3, 3 > 2 > 1 > 0, (1 < 2) < 3, 1 in [1] in [[1]], 1 < 2 in [2])
#---- is operator
a = []; b = a
print(a is b, a is not b, None is None, [] is [], () is (), 1 is not None)
#---- id and hash
print(hash(1) == hash(1.0) == hash(True), hash(0), hash(-1), hash(2**61 - 1), hash(1.5) == hash(1.5), hash("a") == hash("a"), hash((1, 2)) == hash((1, 2)), id(None) == id(None))
#---- int digits limit
str(10 ** 5000)
#---- int digits limit parse
int("1" * 5000)
#---- huge hex is fine
print(len(hex(10 ** 5000)), (10**5000).bit_length())
#---- literal formats
print(0xDEADBEEF, 0B11, 0O7, 1_0.0_1, 00, 0_0, 1e-7, 12345678901234567890)
