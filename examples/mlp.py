"""A small neural network with given weights: sine and cosine from 16 rectifiers.

Each hidden unit bends the output at one of 16 knots, so that the network gives the
straight lines between the values there; a batch of 8 inputs is one program.
"""
import math
import copapy as cp

KNOTS = 16
step = math.pi / KNOTS
knots = [i * step for i in range(KNOTS)]


def bends(f):
    """How much the slope changes at each knot."""
    slopes = [(f(k + step) - f(k)) / step for k in knots]
    return [b - a for a, b in zip([0.0] + slopes, slopes)]


layers = [
    (cp.ones((1, KNOTS)), -cp.vector(knots)),
    (cp.stack([bends(math.sin), bends(math.cos)], axis=1), cp.vector([0.0, 1.0])),
]


def network(x):
    for i, (weights, bias) in enumerate(layers):
        x = x @ weights + bias
        if i + 1 < len(layers):
            x = cp.relu(x)
    return x


inputs = cp.matrix([[cp.value(0.4 * i)] for i in range(8)])
outputs = network(inputs)
slopes = cp.grad(outputs[:, 0].sum(), inputs)  # of the sine

tg = cp.Target()
tg.compile(outputs, slopes)
tg.run()

print(" x     sine   cosine  slope")
for x, (s, c), (d,) in zip(range(8), tg.read_value(outputs), tg.read_value(slopes)):
    print(f"{0.4 * x:.1f}  {s:7.4f}  {c:7.4f}  {d:7.4f}")
