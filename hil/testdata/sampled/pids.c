/* pids.py written by hand. */
#include "sampled.h"

struct controller {
    float integral, derivative, last;
};

struct block {
    uint32_t flags;
    struct controller pid[2];
};

static inline int32_t tick(struct controller *s, float setpoint, float measured) {
    const float kp = 2.0f, ki = 1.0f, kd = 0.1f, n = 20.0f, t = 0.01f, limit = 1.5f;
    const float scale = (float)(3.3 / 4095);
    const float error = setpoint * scale - measured * scale;
    const float slope = (s->derivative + kd * n * (error - s->last)) / (1 + n * t);
    const float wanted = kp * error + s->integral + slope;
    const float output = clamp(wanted, -limit, limit);
    s->integral += t * (ki * error + ki / kp * (output - wanted));
    s->derivative = slope;
    s->last = error;
    return (int32_t)(output * 300.0f + 500.0f);
}

void program(struct block *d) {
    const float a = sample(0), b = sample(1), c = sample(2), e = sample(3);
    commit(0, tick(&d->pid[0], a, b));
    commit(1, tick(&d->pid[1], c, e));
}
