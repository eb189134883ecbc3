"""Inverse kinematics of a two-link arm by gradient descent, 48 steps."""
import copapy as cp

l1, l2 = 1.8, 2.0               # link lengths
target = cp.vector([0.7, 0.7])  # where the end effector shall be
alpha = 0.1                     # step size


def forward_kinematics(theta1, theta2):
    """Positions of the joint and the end effector for two joint angles."""
    joint = cp.vector([l1 * cp.cos(theta1), l1 * cp.sin(theta1)])
    end_effector = joint + cp.vector([l2 * cp.cos(theta1 + theta2),
                                      l2 * cp.sin(theta1 + theta2)])
    return joint, end_effector


theta = cp.vector([cp.value(0.0), cp.value(0.0)])  # start angles

for _ in range(48):
    joint, effector = forward_kinematics(theta[0], theta[1])
    error = ((target - effector) ** 2).sum()
    theta -= alpha * cp.grad(error, theta)

tg = cp.Target()
tg.compile(error, theta, joint)
tg.run()

print(f"Joint angles: {tg.read_value(theta)}")
print(f"Joint position: {tg.read_value(joint)}")
print(f"End-effector position: {tg.read_value(effector)}")
print(f"quadratic error = {tg.read_value(error)}")
