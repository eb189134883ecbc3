"""First steps: variables, arithmetic, a function, reading and writing."""
import copapy as cp

# Variables live on the target; they have a first value and can be changed.
a = cp.value(0.25)
b = cp.value(0.87)

# This is traced, not computed: the target computes it when it runs.
c = a + b * 2.0
d = c ** 2 + cp.sin(a)
e = cp.sqrt(b)

# Where a program branches on a traced value, both sides are computed.
larger = cp.iif(a > b, a, b)

tg = cp.Target()
tg.compile(c, d, e, larger)
tg.run()

print("c =", tg.read_value(c))
print("d =", tg.read_value(d))
print("e =", tg.read_value(e))
print("larger =", tg.read_value(larger))

# New input, same program.
tg.write_value(a, 1.5)
tg.run()
print("with a = 1.5: c =", tg.read_value(c), "larger =", tg.read_value(larger))
