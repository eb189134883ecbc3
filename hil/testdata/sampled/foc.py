"""Field-oriented control of a motor's current: two phase currents, the angle and the torque that is wanted; two voltages."""
import copapy as cp

KP, KI, T = 0.8, 200.0, 1e-4
LIMIT = 12.0


def pi(error):
    total = cp.state(0.0)
    voltage = cp.clamp(KP * error + total, -LIMIT, LIMIT)
    total.next = cp.clamp(total + KI * T * error, -LIMIT, LIMIT)
    return voltage


def control(a, b, c, d):
    ia, ib = a * (3.3 / 4095) - 1.65, b * (3.3 / 4095) - 1.65
    angle, wanted = c * (6.2831855 / 4096), d * (3.3 / 4095) - 1.65
    alpha, beta = ia, (ia + 2.0 * ib) * 0.57735026
    s, k = cp.sin(angle), cp.cos(angle)
    vd, vq = pi(0.0 - (alpha * k + beta * s)), pi(wanted - (beta * k - alpha * s))
    return int((vd * k - vq * s) * 40.0 + 500.0), int((vd * s + vq * k) * 40.0 + 500.0)


tg = cp.Target()
tg.compile(*control(*[cp.input(name, 0) for name in "abcd"]))
tg.run()
