/* examples/inverse_kinematics.py by hand, with the operations of its graph one for one,
 * so that its results have the same bits. */
#include "program.h"

struct block {
    uint32_t flags;
    float theta1, theta2; /* start */
    float error, angle1, angle2, joint_x, joint_y, effector_x, effector_y;
};

void program(struct block *d) {
    const float l1 = 1.8f, l2 = 2.0f, alpha = 0.1f, tx = 0.7f, ty = 0.7f;
    float t1 = d->theta1, t2 = d->theta2, error = 0, jx = 0, jy = 0, x = 0, y = 0;
    for (int i = 0; i < 48; i++) {
        const struct sincos a = sincos_of(t1), b = sincos_of(t1 + t2);
        jx = l1 * a.cosine;
        jy = l1 * a.sine;
        x = jx + l2 * b.cosine;
        y = jy + l2 * b.sine;
        const float dx = tx - x, dy = ty - y;
        error = dx * dx + dy * dy;
        /* The derivatives of the error by x and y, and by the angles. */
        const float gx = -(2 * dx), gy = -(2 * dy);
        const float g2 = b.cosine * (l2 * gy) - b.sine * (l2 * gx);
        const float g1 = g2 + (a.cosine * (l1 * gy) - a.sine * (l1 * gx));
        t1 -= alpha * g1;
        t2 -= alpha * g2;
    }
    d->error = error;
    d->angle1 = t1;
    d->angle2 = t2;
    d->joint_x = jx;
    d->joint_y = jy;
    d->effector_x = x;
    d->effector_y = y;
}
