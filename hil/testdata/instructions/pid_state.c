/* One tick of examples/pid_state.py written by hand. */
#include "program.h"

struct block {
    uint32_t flags;
    float setpoint;
    float integral, derivative, last_error;
    float y, u;
};

void program(struct block *d) {
    const float kp = 2.0f, ki = 1.0f, kd = 0.1f, n = 20.0f, t = 0.01f, limit = 1.5f;
    const float y = d->y, error = d->setpoint - y;
    const float derivative = (d->derivative + kd * n * (error - d->last_error)) / (1 + n * t);
    const float wanted = kp * error + d->integral + derivative;
    const float u = clamp(wanted, -limit, limit);
    d->integral += t * (ki * error + ki / kp * (u - wanted));
    d->derivative = derivative;
    d->last_error = error;
    d->y = y + 0.02f * (u - y);
    d->u = u;
}
