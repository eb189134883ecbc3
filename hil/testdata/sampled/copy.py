"""Two differences of four voltages as widths of pulses, and nothing else."""
import copapy as cp

a, b, c, d = [cp.input(name, 0) for name in "abcd"]


def width(plus, minus):
    return int((plus - minus) * (3.3 / 4095) * 300.0 + 500.0)


tg = cp.Target()
tg.compile(width(a * 1.0, b * 1.0), width(c * 1.0, d * 1.0))
tg.run()
