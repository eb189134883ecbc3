"""examples/inverse_kinematics.py as a loop in the program, for boards whose memory
does not hold 48 steps."""
import copapy as cp

l1, l2, alpha = 1.8, 2.0, 0.1
target = cp.vector([0.7, 0.7])


def step(i, carry):
    theta = cp.vector([carry[0], carry[1]])
    both = theta[0] + theta[1]
    joint = cp.vector([l1 * cp.cos(theta[0]), l1 * cp.sin(theta[0])])
    effector = joint + cp.vector([l2 * cp.cos(both), l2 * cp.sin(both)])
    error = ((target - effector) ** 2).sum()
    theta = theta - alpha * cp.grad(error, theta)
    return [theta[0], theta[1], error, joint[0], joint[1], effector[0], effector[1]]


theta1, theta2, error, *places = cp.fori(48, step, [cp.value(0.0), cp.value(0.0), 0.0, 0.0, 0.0, 0.0, 0.0])

tg = cp.Target()
tg.compile(error, theta1, theta2, *places)
