"""Model-predictive control of a hovering drone: 12 states, 4 inputs, 15 ADMM steps.

The inputs of the next 5 ticks minimise a quadratic cost of the predicted states
while each stays within its limits. What does not depend on the state is computed
here, on the host; a run of the program is one decision of the controller.
"""
import copapy as cp

T, N, g = 0.05, 5, 9.81                  # s, ticks ahead, m/s^2
mass, inertia = 0.5, [0.004, 0.004, 0.008]  # kg, kg m^2
limits = [2.0, 0.02, 0.02, 0.02]         # thrust beside hovering (N), torques (N m)
RHO = 0.5                                # weight of the limits in ADMM

# States: position, velocity, roll-pitch-yaw, their rates; three of each.
O, I = cp.zeros((3, 3)), cp.identity(3)
tilt = cp.matrix([[0, g, 0], [-g, 0, 0], [0, 0, 0]])  # acceleration by roll and pitch
rows = [[I, T * I, O, O], [O, I, T * tilt, O], [O, O, I, T * I], [O, O, O, I]]
A = cp.concat([cp.concat(r, axis=1) for r in rows])
thrust = cp.matrix([[0, 0, 0, 0], [0, 0, 0, 0], [T / mass, 0, 0, 0]])
torques = cp.concat([cp.zeros((3, 1)), cp.diagonal([T / j for j in inertia])], axis=1)
B = cp.concat([cp.zeros((3, 4)), thrust, cp.zeros((3, 4)), torques])
weights = [10, 10, 10, 1, 1, 1, 1, 1, 1, 0.1, 0.1, 0.1]
scale = cp.diagonal(limits)              # inputs in units of their limits

# All predicted states are ahead @ x + effect @ u.
powers = [cp.identity(12)]
for _ in range(N):
    powers.append(A @ powers[-1])
ahead = cp.concat(powers[1:])
effect = cp.concat([cp.concat([powers[k - j] @ B @ scale if j <= k else cp.zeros((12, 4))
                               for j in range(N)], axis=1) for k in range(N)])
Q = cp.diagonal(weights * N)
hessian = effect.T @ Q @ effect + 0.1 * cp.identity(4 * N)
linear = effect.T @ Q @ ahead
inverse = cp.inv(hessian + RHO * cp.identity(4 * N))

x = cp.vector(cp.value(e) for e in [0.5, -0.3, 1.0, 0, 0, 0, 0.1, 0, 0.2, 0, 0, 0.5])

f = linear @ x
z = y = cp.zeros(4 * N)
for _ in range(15):
    u = inverse @ (RHO * (z - y) - f)
    z = cp.clamp(u + y, -1.0, 1.0)
    y = y + u - z
decision = z[:4] * cp.vector(limits)

tg = cp.Target()
tg.compile(decision, z)
tg.run()

print("thrust and torques:", *(f"{e:.4f}" for e in tg.read_value(decision)))
print("at a limit:", sum(abs(e) == 1 for e in tg.read_value(z)), "of", 4 * N)
