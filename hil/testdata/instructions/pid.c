/* examples/pid.py by hand: 500 ticks of the controller and its plant in one run. */
#include "program.h"

struct block {
    uint32_t flags;
    float setpoint, start;
    float y, u;
};

void program(struct block *d) {
    const float kp = 2.0f, ki = 1.0f, kd = 0.1f, n = 20.0f, t = 0.01f, limit = 1.5f;
    const float setpoint = d->setpoint;
    float integral = 0, derivative = 0, last_error = 0, y = d->start, u = 0;
    for (int i = 0; i < 500; i++) {
        const float error = setpoint - y;
        derivative = (derivative + kd * n * (error - last_error)) / (1 + n * t);
        const float wanted = kp * error + integral + derivative;
        u = clamp(wanted, -limit, limit);
        integral += t * (ki * error + ki / kp * (u - wanted));
        last_error = error;
        y += 0.02f * (u - y);
    }
    d->y = y;
    d->u = u;
}
