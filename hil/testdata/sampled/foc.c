/* foc.py written by hand. */
#include "sampled.h"

struct block {
    uint32_t flags;
    float direct, quadrature;
};

static inline float pi(float *sum, float error) {
    const float kp = 0.8f, step = (float)(200.0 * 1e-4), limit = 12.0f;
    const float voltage = clamp(kp * error + *sum, -limit, limit);
    *sum = clamp(*sum + step * error, -limit, limit);
    return voltage;
}

void program(struct block *d) {
    const float scale = (float)(3.3 / 4095);
    const float ia = sample(0) * scale - 1.65f, ib = sample(1) * scale - 1.65f;
    const float angle = sample(2) * (float)(6.2831855 / 4096), wanted = sample(3) * scale - 1.65f;
    const float alpha = ia, beta = (ia + 2.0f * ib) * 0.57735026f;
    const struct sincos at = sincos_of(angle);
    const float direct = alpha * at.cosine + beta * at.sine, quadrature = beta * at.cosine - alpha * at.sine;
    const float vd = pi(&d->direct, 0.0f - direct), vq = pi(&d->quadrature, wanted - quadrature);
    commit(0, (int32_t)((vd * at.cosine - vq * at.sine) * 40.0f + 500.0f));
    commit(1, (int32_t)((vd * at.sine + vq * at.cosine) * 40.0f + 500.0f));
}
