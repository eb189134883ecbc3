#---- ints
for spec in ["", "d", "5", "<5", ">5", "^5", "05", "+", " ", "-", ",", "_", "x", "X", "o", "b", "#x", "#o", "#b", "#X", "08b", "+05d", "*^9", "=+7", "x<6", "c", "e", "f", ".2f", "g", "%", "n", ",d", "#010x", "_x", "_b", "+,", "010,", "015,d", "08_x"]:
    try:
        print(repr(spec), format(65, spec), format(-1234567, spec) if spec != "c" else "", format(1234567890123, spec) if spec != "c" else "")
    except Exception as e:
        print(repr(spec), type(e).__name__, e)
#---- floats
for spec in ["", "f", ".0f", ".1f", ".3f", "10.2f", "<10.2f", "^10.2f", "010.2f", "+.2f", " .2f", "e", ".2e", "E", "g", ".3g", "G", ".10g", "%", ".1%", ",", ",.2f", "_.3f", "#.0f", "#g", "#.3g", ".2", ".5", "10", "<10", "z.1f", "=10", "n", "015,.2f", "*>12.1e", ".0e", "#.0e", ".0g", "-10.1f"]:
    for x in [0.0, 1.0, -1.5, 3.14159265, 1234567.891, 1e-5, 1e16, 1e22, -0.04, 123456789.0]:
        print(repr(spec), x, "|" + format(x, spec) + "|")
#---- special floats
for spec in ["", "f", ".2f", "e", "g", "%", "10", "010", "+", "F", "G", "E", "<6", ",", "^9.1f"]:
    for x in [float("inf"), float("-inf"), float("nan"), -0.0]:
        print(repr(spec), "|" + format(x, spec) + "|")
#---- strings
for spec in ["", "s", "5", "<5", ">5", "^6", "*^7", ".2", "5.1", ".0s", "05", "é>5"]:
    print(repr(spec), "|" + format("abc", spec) + "|")
#---- bools and none
print(format(True, ""), format(True, "d"), format(True, "5"), format(None, ""), f"{True:>6}", f"{None!s:>6}", f"{[1]!s:^7}")
#---- int bad precision
format(1, ".2d")
#---- int bad code
format(1, "s")
#---- float bad code
format(1.0, "d")
#---- str bad code
format("a", "d")
#---- str sign
format("a", "+")
#---- str equals
format("a", "=5")
#---- bad spec
format(1, "5z5")
#---- comma with s
format("a", ",")
#---- comma with x
format(1, ",x")
#---- both separators
format(1, ",_")
#---- missing precision
format(1.0, ".")
#---- list spec
format([1], "5")
#---- none spec
format(None, "5")
#---- f-strings
x = 5; y = 2.5; s = "abc"; d = {"k": 1}; w = 8
print(f"{x}", f"{x=}", f"{x = }", f"{y:.3f}", f"{y=:.2f}", f"{s!r}", f"{s!r:>8}", f"{x:{w}}", f"{y:{w}.{x}f}", f"{d['k']}", f"{{}}", f"{{{x}}}", f"{x + 1}", f"{x if x > 3 else 0}", f"{(lambda v: v * 2)(4)}", f"{s[::-1]}", f"{x:>{w}}|{x:<{w}}|", f'{s + "x"}', f"{x!s}", f"{'a' 'b'}", f"{x,}", f"{ {1: 2}[1] }", f"{x:d}{y}", f"a" "b" f"{x}", f"{x:#x}", f"{x==5}", f"{x!=5}", f"{x<=5} {x>=5}", f"{s.upper()!r:*^9}")
print(f"""{
    x
} triple {s}""", rf"\d{x}", f"\t{x}\n".strip(), f"{x:%}", f"{1_000:,}", f"", f"{''}", f"{f'{x}'}", f"{f'{x:>{3}}'}")
#---- f-string nested error position
def g():
    return 1 / 0
f"abc {g()} def"
#---- f-string attribute error
x = 5
print(f"{x.foo}")
#---- custom format
class T:
    def __format__(self, spec): return "<" + spec + ">"
    def __str__(self): return "T!"
class U:
    def __str__(self): return "U!"
    def __repr__(self): return "U()"
print(f"{T():abc}", f"{T()}", format(T(), "x"), f"{U()}", f"{U()!r}", f"{U()!s:>5}", "{:z}".format(T()), f"{U()=}")
#---- custom format bad spec
class U: pass
format(U(), ">5")
