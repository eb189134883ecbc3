/* The drivers that are allowed: their table, and registers that stand for them. */
#include "drivers.h"

#include <asm/errno.h>
#include <linux/fcntl.h>

#include "core/loop.h"
#include "host.h"
#include "text.h"

#define NAME_LENGTH 96u  /* of what -allow names */
#define STALE_NS 1000000000u /* a driver that has nothing new for so long has failed */

#define NAMES                                                                                                           \
    "want gpiochip0/17, gpio/LINE, iio0/in_voltage0, pwmchip0/1, hwmon0/temp1 or can0/123, and =in or =out behind it if " \
    "it is to be no more"

/* The first one whose prefix a name has; any name has that of the last one. */
static const struct cf_host_driver_kind *const kinds[] = {&cf_host_gpio, &cf_host_iio, &cf_host_pwm, &cf_host_hwmon, &cf_host_can};

static struct {
    uint32_t count;
    uint32_t *at;
    uint64_t skip;
    struct cf_host_trouble trouble;
    struct cf_host_driver driver[CF_HOST_DRIVERS];
} drivers;

static struct {
    uint32_t feature;
    struct cf_pin_window window[2];
} windows;

static _Noreturn void refuse(const char *name, const char *what, long err) {
    char line[300];

    line[0] = 0;
    cf_text_add(line, sizeof line, "-allow ");
    cf_text_add(line, sizeof line, name);
    cf_text_add(line, sizeof line, ": ");
    cf_text_add(line, sizeof line, what);
    cf_host_die(line, err);
}

/* What the kernel's error means, where the kind of driver says nothing of its own. */
static const char *meaning(long err) {
    switch (err) {
    case -ENOENT:
    case -ENODEV:
    case -ENXIO:
        return "this machine has no such driver; copaflash runner channels lists what it has";
    case -EACCES:
    case -EPERM:
        return "this user may not use it: add the user to the group of the device, or change the rights by a rule of udev";
    case -EBUSY:
        return "another program or driver of the kernel has it";
    case -EAFNOSUPPORT:
    case -EPROTONOSUPPORT:
        return "this kernel has no CAN: load the modules can and can_raw";
    default:
        return "it cannot be opened";
    }
}

/* Takes "=in" or "=out" off the end of a name. Returns the way that is allowed, 0 if it is not understood. */
static uint32_t take_way(char *name) {
    char *end = name;

    while (*end != 0 && *end != '=') {
        end++;
    }
    if (*end == 0) {
        return CF_DRIVER_IN | CF_DRIVER_OUT;
    }
    *end = 0;
    return cf_text_equal(end + 1, "in") ? CF_DRIVER_IN : cf_text_equal(end + 1, "out") ? CF_DRIVER_OUT : 0;
}

/* Whether a name has one or two slashes, and behind each something that is no way out of a folder. */
static int is_name(const char *s) {
    uint32_t parts = 0;

    for (; *s != 0; s++) {
        const char c[2] = {*s, 0};
        if (*s == '/') {
            parts++;
            if (s[1] == '.' || s[1] == '-' || s[1] == '/' || s[1] == 0) {
                return 0;
            }
        } else if (!cf_host_is_plain(c)) {
            return 0;
        }
    }
    return parts == 1 || parts == 2;
}

static void allow(const char *spec) {
    static const char *const ways[] = {" none", " in", " out", " inout"};
    struct cf_host_driver *d = &drivers.driver[drivers.count];
    char name[NAME_LENGTH];
    char properties[300];
    const char *rest = NULL;
    const char *what = NULL;

    name[0] = 0;
    cf_text_add(name, sizeof name, spec);
    d->way = take_way(name);
    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0] && rest == NULL; i++) {
        d->kind = kinds[i];
        rest = cf_text_after(name, kinds[i]->prefix);
    }
    if (!is_name(name) || d->way == 0 || cf_text_length(spec) >= NAME_LENGTH) {
        refuse(spec, NAMES, 0);
    }
    d->way &= d->kind->ways;
    d->fd = CF_HOST_DRIVER_FD + CF_HOST_DRIVER_FDS * (int)drivers.count;
    cf_text_add(cf_host_table.text, sizeof cf_host_table.text, name);
    cf_text_add(cf_host_table.text, sizeof cf_host_table.text, " ");
    cf_text_add(cf_host_table.text, sizeof cf_host_table.text, d->kind->word);
    char *const behind = cf_host_table.text + cf_text_length(cf_host_table.text);
    const long r = d->kind->open(d, rest, &what);
    if (r != 0) {
        refuse(spec, what != NULL ? what : meaning(r), r);
    }
    if (d->way == 0) {
        refuse(spec, "it has no such direction", 0);
    }
    properties[0] = 0; /* which it has told while it was opened; that is when its ways are known */
    cf_text_add(properties, sizeof properties, behind);
    *behind = 0;
    cf_text_add(cf_host_table.text, sizeof cf_host_table.text, ways[d->way]);
    cf_text_add(cf_host_table.text, sizeof cf_host_table.text, properties);
    cf_text_add(cf_host_table.text, sizeof cf_host_table.text, "\n");
    drivers.count++;
}

void cf_host_drivers_init(struct cf_platform *p) {
    _Static_assert(CF_HOST_ALLOWS == CF_HOST_DRIVERS, "one for each");
    if (cf_host.allows > CF_HOST_DRIVERS) {
        cf_host_die("-allow: there are at most 64 of them", 0);
    }
    for (uint32_t i = 0; i < cf_host.allows; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (cf_text_equal(cf_host.allow[i], cf_host.allow[j])) {
                refuse(cf_host.allow[i], "it is there twice", 0);
            }
        }
        allow(cf_host.allow[i]);
    }
    cf_host_table.length = 4u + cf_text_length(cf_host_table.text);
    windows.feature = drivers.count != 0 ? CF_LOOP_PINS | CF_LOOP_DRIVERS : 0;
    windows.window[0] = (struct cf_pin_window){CF_HOST_DRIVERS_AT, CF_HOST_DRIVER_LENGTH * drivers.count, UINT32_MAX};
    p->windows = (const struct cf_pin_windows *)(const void *)&windows;
    p->drivers = (uint8_t *)&cf_host_table;
    p->drivers_length = drivers.count != 0 ? cf_host_table.length : 0;
}

void cf_host_drivers_begin(uint32_t *at, uint64_t skip) {
    cf_host_epoch++;
    drivers.at = at;
    drivers.skip = skip;
    drivers.trouble.address = 0;
}

static void failed(uint32_t address, long r) {
    if (drivers.trouble.address == 0) {
        drivers.trouble = (struct cf_host_trouble){address, (uint32_t)-r};
    }
}

/* Whether an error may be gone at the next attempt: a bus that is busy, a sensor that converts. */
static int passes(long r) {
    return r == -EAGAIN || r == -EBUSY || r == -ENODATA || r == -EINTR;
}

/* Takes the result of an access. One that may pass counts only if it has not passed for long, and from the first one on. */
static void result(struct cf_host_driver *d, uint32_t address, long r) {
    cf_set(drivers.at, 0);
    if (r >= 0) {
        d->good = cf_hal_ticks();
    } else if (!passes(r) || d->good == 0 || cf_hal_ticks() - d->good > STALE_NS) {
        failed(address, r);
    }
}

/* The driver of a register, and that register's number; NULL if it is not there, or not any more. */
static struct cf_host_driver *find(uint32_t address, uint32_t width, uint32_t *reg) {
    const uint32_t offset = address - CF_HOST_DRIVERS_AT;
    const uint32_t number = offset / CF_HOST_DRIVER_LENGTH;

    *reg = offset % CF_HOST_DRIVER_LENGTH / 4u;
    if (number >= drivers.count || width != 2 || address % 4u != 0) {
        failed(address, -EINVAL);
        return NULL;
    }
    if ((drivers.skip >> number & 1u) != 0) {
        failed(address, -ETIMEDOUT);
        return NULL;
    }
    cf_set(drivers.at, number + 1u);
    return &drivers.driver[number];
}

uint32_t cf_hal_register_read(uint32_t address, uint32_t width) {
    uint32_t reg;
    uint32_t value = 0;
    struct cf_host_driver *d = find(address, width, &reg);

    if (d != NULL) {
        const long r = d->kind->read(d, reg, &value);
        d->epoch = cf_host_epoch;
        result(d, address, r);
    }
    return value;
}

void cf_hal_register_write(uint32_t address, uint32_t width, uint32_t value) {
    uint32_t reg;
    struct cf_host_driver *d = find(address, width, &reg);

    if (d != NULL) {
        result(d, address, d->kind->write(d, reg, value));
    }
}

struct cf_host_trouble cf_host_drivers_end(void) {
    for (uint32_t i = 0; i < drivers.count; i++) {
        struct cf_host_driver *d = &drivers.driver[i];
        if (d->changed && d->kind->end != NULL && (drivers.skip >> i & 1u) == 0) {
            d->changed = 0;
            cf_set(drivers.at, i + 1u);
            result(d, CF_HOST_DRIVERS_AT + i * CF_HOST_DRIVER_LENGTH, d->kind->end(d));
        }
    }
    return drivers.trouble;
}
