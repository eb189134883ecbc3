"""Inverse kinematics of an arm with two links as a loop in the program: 48 steps
of gradient descent, compiled once and run 48 times. The gradient is taken in the
body of the loop; then through the whole loop, to see how much the start matters."""

import copapy as cp

l1, l2 = 1.8, 2.0  # lengths of the links
alpha = 0.1  # step size
target = cp.vector([0.7, 0.7])


def forward_kinematics(theta):
    """Positions of the elbow and the tip."""
    elbow = cp.vector([l1 * cp.cos(theta[0]), l1 * cp.sin(theta[0])])
    both = theta[0] + theta[1]
    return elbow, elbow + cp.vector([l2 * cp.cos(both), l2 * cp.sin(both)])


def squared_distance(theta):
    dx, dy = target - forward_kinematics(theta)[1]
    return dx * dx + dy * dy


def step(i, theta):
    return theta - alpha * cp.grad(squared_distance(theta), theta)


start = cp.vector([cp.value(0.0), cp.value(0.0)])

# 47 steps, and one more beside the error before it.
theta = cp.fori(47, step, start)
error = squared_distance(theta)
theta = step(47, theta)

# The same, with the error of every step as a row.
last, errors = cp.scan(48, lambda i, theta: (step(i, theta), squared_distance(theta)), start)

# A gradient through the loop: how the squared distance that is left after ten
# steps changes with where they start.
left = squared_distance(cp.fori(10, step, start))
slope = cp.grad(left, start)

tg = cp.Target()
tg.compile(theta, error, last, errors, left, slope)
tg.run()
print("Joint angles:", [round(x, 7) for x in tg.read_value(theta)])
print("Squared error before the last step:", tg.read_value(error))
print("The same with rows:", tg.read_value(last) == tg.read_value(theta), tg.read_value(errors[47]) == tg.read_value(error))
print("Errors of the first steps:", [round(x, 4) for x in tg.read_value(errors[:4])])
print("After ten steps:", round(tg.read_value(left), 5))
print("Slope by the start:", [round(x, 5) for x in tg.read_value(slope)])
