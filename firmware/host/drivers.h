/*
 * Inputs and outputs of the machine, by the drivers of its kernel: GPIO lines, IIO and hwmon inputs, PWM outputs, CAN frames.
 *
 * A host names none of them: it reads a table of those that -allow has opened at the start, and refers to them by their numbers, as
 * registers of 32 bits at CF_HOST_DRIVERS_AT. Only the process of the pins (io.c) accesses them.
 */
#ifndef CF_HOST_DRIVERS_H
#define CF_HOST_DRIVERS_H

#include <stdint.h>

#include "hal/hal.h"

#define CF_HOST_DRIVERS 64u             /* most of them */
#define CF_HOST_DRIVERS_AT 0x10000u     /* address of the first register of the first one */
#define CF_HOST_DRIVER_LENGTH 0x40u     /* bytes of each one's registers */
#define CF_HOST_DRIVER_FD 8             /* descriptors of the first one, and so many of each: the least numbers are for others */
#define CF_HOST_DRIVER_FDS 4
#define CF_HOST_DRIVERS_FD (CF_HOST_DRIVER_FD + CF_HOST_DRIVER_FDS * (int)CF_HOST_DRIVERS) /* behind all of them */

enum { CF_DRIVER_IN = 1, CF_DRIVER_OUT = 2 };

/* Of a driver in use. Errors are those of the kernel, negative. */
struct cf_host_driver {
    const struct cf_host_driver_kind *kind;
    uint32_t way;     /* CF_DRIVER_IN, CF_DRIVER_OUT or both: what -allow lets it be */
    int fd;           /* the first of its descriptors */
    uint32_t epoch;   /* list by which it was sampled last: once in each */
    uint32_t mode;    /* what it was set up as */
    uint32_t value[4]; /* what it was last, as its kind has it */
    uint64_t good;    /* tick at which it was last accessed well */
    uint64_t came;    /* tick at which the last frame came, or went */
    uint32_t changed; /* there is something to send */
};

struct cf_host_driver_kind {
    const char *word;   /* in the table */
    const char *prefix; /* of what -allow names */
    uint32_t ways;
    /* Opens what is behind the prefix, with its descriptors from d->fd on, and adds its properties to the table, each behind a space.
     * Returns 0, or an error, and maybe *what to do about it. */
    long (*open)(struct cf_host_driver *d, const char *rest, const char **what);
    long (*read)(struct cf_host_driver *d, uint32_t reg, uint32_t *value);
    long (*write)(struct cf_host_driver *d, uint32_t reg, uint32_t value);
    long (*end)(struct cf_host_driver *d); /* of a list: sends what has changed; NULL: nothing */
};

/* gpio.c, sysfs.c, can.c */
extern const struct cf_host_driver_kind cf_host_gpio, cf_host_iio, cf_host_pwm, cf_host_hwmon, cf_host_can;

/* drivers.c: opens all that is allowed, or ends the process with the reason, and tells the core. */
void cf_host_drivers_init(struct cf_platform *p);

/* drivers.c: of one list, in the process of the pins. What fails is noted, and the rest of the list goes on. */
struct cf_host_trouble {
    uint32_t address; /* of the register, 0: nothing has failed */
    uint32_t error;   /* of the kernel, positive */
};
void cf_host_drivers_begin(uint32_t *at, uint64_t skip); /* *at is the number of the driver that is accessed, from 1 on; skip has bits of those that are not */
struct cf_host_trouble cf_host_drivers_end(void);
int cf_host_is_first(const struct cf_host_driver *d);

/* device.c: what a host reads: the length of all of it, then a line for each driver. */
struct cf_host_table {
    uint32_t length;
    char text[(16u << 10) - 4u];
};

extern struct cf_host_table cf_host_table;
extern uint32_t cf_host_epoch; /* number of the list that is carried out */
int cf_host_is_plain(const char *s); /* whether it has only what a name or a number may have, and no slash */

/* device.c: how kinds open. Paths and properties are gathered in one buffer each. */
long cf_host_open(const char *path, int flags);                       /* below -root */
long cf_host_keep(struct cf_host_driver *d, uint32_t which, long fd); /* gives a descriptor its place; returns 0 or the error */
uint32_t cf_host_file(const char *path, char *text, uint32_t capacity); /* one line of a file; returns its length, 0 if there is none */
void cf_host_tell_property(const char *name, const char *value);
void cf_host_path(char *path, uint32_t capacity, const char *a, uint32_t number, const char *b, const char *c);

#define CF_HOST_PATH 256u

#endif
