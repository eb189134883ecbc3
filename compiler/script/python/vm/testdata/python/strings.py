#---- escapes and repr
print(repr("a'b"), repr('a"b'), repr("a'b\"c"), repr("\n\t\r\\\0\x1f\x7f"), repr("é€😀"), '\x41\u0042\U00000043\101', "\d" if False else 'ok')
print("multi\
line", r"raw\n", """triple
'quoted' "text" """, 'con' 'cat' "enated")
#---- indexing
s = "hello"
print(s[0], s[-1], s[1:3], s[::-1], s[::2], s[-3:], s[:-1], s[10:], s[2:1], s[4:0:-1], s[-100:100])
u = "añb€c"
print(u[1], u[-2], u[1:4], u[::-1], len(u), u[::2])
#---- index error
"abc"[3]
#---- index type error
"abc"["a"]
#---- index float
"abc"[1.0]
#---- item assignment
s = "abc"
s[0] = "x"
#---- concat repeat compare
print("a" + "b", "ab" * 3, 3 * "x", "a" * 0, "a" * -1, "a" < "b", "a" < "B", "abc" < "abd", "" < "a", "a" == 'a', "é" > "z")
#---- methods case
s = "Hello World"
print(s.lower(), s.upper(), s.swapcase(), s.title(), s.capitalize(), "hELLO wORLD".capitalize(), "they're bill's".title(), "ß".upper(), s.casefold())
#---- strip
print("  a b ".strip() + "|", "  a ".lstrip() + "|", " a  ".rstrip() + "|", "xxaxx".strip("x"), "abcba".strip("ab"), "\t\n x \r".strip(), "www.example.com".lstrip("w."))
#---- split
print("a,b,,c".split(","), "a b  c ".split(), "".split(), "".split(","), "a b c d".split(None, 2), "a,b,c".split(",", 1), "a,b,c".rsplit(",", 1), "a b c".rsplit(None, 1), "  a  b  ".split(" "), "a--b--c".split("--"), " a b ".split(None, 0), "x y z  ".split(maxsplit=1), "1<2<3".split(sep="<"))
#---- split empty separator
"a".split("")
#---- splitlines and partition
print("a\nb\r\nc\n".splitlines(), "a\nb".splitlines(True), "".splitlines(), "a=b=c".partition("="), "a=b=c".rpartition("="), "abc".partition("x"), "abc".rpartition("x"))
#---- join
print(",".join(["a", "b"]), "".join([]), "-".join("abc"), ", ".join(str(i) for i in range(4)), "x".join({"k": 1}))
#---- join error
",".join([1, 2])
#---- join error later
",".join(["a", 2])
#---- find
s = "abcabc"
print(s.find("b"), s.rfind("b"), s.find("z"), s.index("c"), s.count("a"), s.count(""), s.find("a", 1), s.find("", 3), s.find("", 10), s.count("abc", 1), s.rfind("a", 0, 3), "ñañ".find("ñ", 1), s.find("c", -2))
#---- index not found
"abc".index("z")
#---- startswith
s = "hello.py"
print(s.startswith("he"), s.endswith(".py"), s.startswith(("x", "h")), s.endswith(("a", "b")), s.startswith("l", 2), s.startswith("", 8), s.startswith("", 9), s.removeprefix("hello"), s.removesuffix(".py"), s.removeprefix("x"))
#---- startswith error
"a".startswith(1)
#---- replace
print("aaa".replace("a", "b"), "aaa".replace("a", "b", 2), "abc".replace("", "-"), "abc".replace("x", "y"), "aaa".replace("aa", "b"))
#---- padding
print("[" + "ab".center(7) + "]", "[" + "abc".center(6, "*") + "]", "[" + "ab".center(5, "*") + "]", "ab".ljust(5, ".") + "|", "ab".rjust(5) + "|", "42".zfill(5), "-42".zfill(5), "+1".zfill(4), "abc".zfill(2), "a\tb\tc".expandtabs(4), "\t".expandtabs())
#---- tests
for s in ["abc", "ABC", "123", "a1", " ", "", "a b", "Abc Def", "_x", "1a", "é"]:
    print(repr(s), s.isalpha(), s.isdigit(), s.isalnum(), s.isspace(), s.isupper(), s.islower(), s.istitle(), s.isidentifier(), s.isascii(), s.isnumeric(), s.isdecimal(), s.isprintable())
#---- contains
print("a" in "abc", "" in "abc", "ac" in "abc", "x" not in "abc")
#---- contains error
1 in "abc"
#---- iteration
for c in "añ€": print(c, ord(c), chr(ord(c)))
print(list("abc"), tuple("ab"), sorted("hello"), "".join(reversed("abc")), list(enumerate("ab", 1)))
#---- ord error
ord("ab")
#---- ord type error
ord(5)
#---- chr error
chr(-1)
#---- percent formatting
print("%d %i %5d|%-5d|%05d|%+d|% d" % (1, 2, 3, 4, 5, 6, 7))
print("%f %.2f %10.3f|%-10.2f|%e %.3E %g %G %g" % (1.5, 2.345, 3.14159, 2.5, 12345.678, 0.00012, 1e10, 1e-10, 100000))
print("%s %r %10s|%-10s|%.2s" % ("a", "b", "c", "d", "efgh"))
print("%x %X %o %#x %#o %c %c %%" % (255, 255, 8, 255, 8, "z", 65))
print("%(a)s %(b)d" % {"a": 1, "b": 2}, "%s" % None, "%s" % [1], "%d" % 3.9, "%5.1f%%" % 45.678, "%*d" % (5, 42), "%.*f" % (2, 3.14159), "%d" % True, "%s %s" % ("a", (1, 2)))
print("%.3d %5.3d|%-8.3d|" % (5, 5, 5), "%s" % 1.0, "%r" % 1e20, "%d" % 10**20, "%a" % "é", "%#.3g" % 1.0, "%+.2e" % 0.0)
#---- percent not enough
"%d %d" % (1,)
#---- percent too many
"%d" % (1, 2)
#---- percent type
"%d" % "a"
#---- percent float type
"%f" % "a"
#---- percent bad character
"%y" % 1
#---- percent incomplete
"%" % 1
#---- percent mapping
"%(a)s" % 1
#---- str format
print("{} {}".format(1, 2), "{1} {0}".format(1, 2), "{a} {b}".format(a=1, b="x"), "{0[1]} {0[0]} {1[k]}".format([1, 2], {"k": 3}), "{!r} {!s}".format("a", "b"), "{:>5}|{:<5}|{:^5}|{:*^7}".format(1, 2, 3, 4), "{{}} {{{}}}".format(5), "{:{}}|{:{w}.{p}f}".format(1, 4, 2.5, w=8, p=2))
class P: x = 5
print("{0.x} {p.x}".format(P, p=P()), "{a[b]}".format(a={"b": 1}))
#---- str format missing
"{} {}".format(1)
#---- str format missing key
"{a}".format(b=1)
#---- str format single brace
"{".format()
#---- str format closing brace
"}".format()
#---- str format switch
"{} {0}".format(1)
#---- str format switch back
"{0} {}".format(1)
#---- str format unknown conversion
"{!z}".format(1)
#---- str of things
print(str(1), str(1.0), str(None), str(True), str([1, "a"]), str((1,)), str(()), str({}), str({1: "a"}), str({1}), str(set()), str("x"), str(), str(range(3)), str(slice(1, 2)), str(...), str(NotImplemented), str(b"ab\n'"), str(int), str(type(None)))
#---- ascii and unicode
print(ascii("aé😀"), "é".encode(), b"\xc3\xa9".decode(), len("é".encode()), bytes([65, 66]), bytes(3), b"abc"[1], b"abc"[1:], b"a" + b"b", b"ab" * 2, 97 in b"abc", b"b" in b"abc", list(b"ab"), b"ab".hex(), bytes("a", "utf8"), b"" == b"", b"a" < b"b")
#---- bytes literal non ascii is refused
print(b"\x00\xff", b'it''s', rb"\n")
#---- str attribute error
"abc".foo
#---- str method wrong arg count
"abc".upper(1)
#---- format map
print("{a}-{b}".format_map({"a": 1, "b": 2}))
