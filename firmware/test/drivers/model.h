/* A model of the kernel as drivers see it: two GPIO chips, a CAN interface, and files with one number each. */
#ifndef MODEL_H
#define MODEL_H

#include <stdint.h>

#define LINES 8u

/* A line of chip 0, or 1. */
struct line {
    const char *name;
    int taken;
    uint64_t flags;
    uint32_t level; /* physical; of an input from outside */
};

extern struct line lines[2][LINES];

struct frame {
    uint32_t id;
    uint8_t length;
    uint8_t data[8];
};

/* What is sent to the bus, and what the sockets have to receive. */
extern struct frame sent[16];
extern uint32_t sent_count;
void bus_brings(uint32_t id, uint8_t length, const uint8_t *data);

/* A file with a text; what reads and writes of it return instead, if that is not 0. */
struct file {
    const char *path;
    char text[64];
    long error;
};

extern struct file files[];

extern long gpio_error, bus_error; /* likewise */
extern uint64_t now;
extern uint32_t calls; /* of the system so far */

#endif
