/*
 * Inputs and outputs that are files of sysfs with one whole number each: IIO, PWM and hwmon (Documentation/ABI of the kernel:
 * sysfs-bus-iio, sysfs-class-pwm, sysfs-class-hwmon).
 */
#include <asm/errno.h>
#include <linux/fcntl.h>

#include "drivers.h"
#include "host.h"
#include "sys.h"
#include "text.h"

#define DEVICES 64u
#define EXPORT_NS 1000000000u /* what udev has time for, to give rights */
#define LOOK_NS 10000000u

/* Registers of PWM: duty and period, ns, and whether it is on; of the others the value. */
enum { VALUE, PERIOD, ENABLE };

/* One whole number and nothing else but the end of the line, as the kernel writes it. */
static long parse(const char *s, long n, uint32_t *value) {
    const char *const end = s + n;
    const int negative = n > 0 && *s == '-';
    uint64_t v = 0;

    s += negative;
    if (s == end || *s < '0' || *s > '9') {
        return -EILSEQ;
    }
    for (; s < end && *s >= '0' && *s <= '9'; s++) {
        v = v * 10 + (uint32_t)(*s - '0');
        if (v > INT32_MAX + (uint64_t)negative) {
            return -ERANGE;
        }
    }
    if (s < end && *s != '\n' && *s != 0) {
        return -EILSEQ;
    }
    *value = negative ? 0u - (uint32_t)v : (uint32_t)v;
    return 0;
}

static long read_value(struct cf_host_driver *d, uint32_t reg, uint32_t *value) {
    char text[32];

    if (reg != VALUE || (d->way & CF_DRIVER_IN) == 0) {
        return -EINVAL;
    }
    long r = 0;
    if (cf_host_is_first(d)) {
        r = cf_sys4(__NR_pread64, d->fd, text, sizeof text, 0);
        r = r < 0 ? r : parse(text, r, &d->value[0]);
    }
    *value = d->value[0];
    return r;
}

static long write_number(int fd, uint32_t value) {
    char text[16];

    text[0] = 0;
    cf_text_add_number(text, sizeof text, value);
    cf_text_add(text, sizeof text, "\n");
    const long r = cf_sys4(__NR_pwrite64, fd, text, cf_text_length(text), 0);
    return r < 0 ? r : 0;
}

static long no_write(struct cf_host_driver *d, uint32_t reg, uint32_t value) {
    (void)d, (void)reg, (void)value;
    return -EPERM;
}

/* Finds the device that a name begins with, by its number or, behind a slash, by the name that it gives itself. Returns what is behind
 * the next slash, NULL if there is none. */
static const char *find_device(const char *rest, const char *folder, uint32_t *number) {
    char path[CF_HOST_PATH];
    char own[64];

    if (*rest != '/') {
        rest = cf_text_number(rest, 9999, number);
        return rest != NULL && *rest == '/' ? rest + 1 : NULL;
    }
    for (*number = 0; *number < DEVICES; ++*number) {
        cf_host_path(path, sizeof path, folder, *number, "/name", "");
        if (cf_host_file(path, own, sizeof own) != 0) {
            const char *behind = cf_text_after(rest + 1, own);
            if (behind != NULL && *behind == '/') {
                return behind + 1;
            }
        }
    }
    return NULL;
}

/* The attribute that an input shares with others of its kind: "in_voltage3" with "_scale" is "in_voltage_scale". */
static void add_shared(char *path, uint32_t capacity, const char *input) {
    for (; *input != 0; input++) {
        const char c[2] = {*input, 0};
        if (*input < '0' || *input > '9') {
            cf_text_add(path, capacity, c);
        }
    }
}

/* Puts an attribute of an IIO input, its own or a shared one, into the table. */
static void tell_iio(uint32_t device, const char *input, const char *attribute, const char *name) {
    char path[CF_HOST_PATH];
    char text[40];

    cf_host_path(path, sizeof path, "/sys/bus/iio/devices/iio:device", device, "/", input);
    cf_text_add(path, sizeof path, attribute);
    if (cf_host_file(path, text, sizeof text) == 0) {
        cf_host_path(path, sizeof path, "/sys/bus/iio/devices/iio:device", device, "/", "");
        add_shared(path, sizeof path, input);
        cf_text_add(path, sizeof path, attribute);
        (void)cf_host_file(path, text, sizeof text);
    }
    cf_host_tell_property(name, text);
}

static long open_iio(struct cf_host_driver *d, const char *rest, const char **what) {
    char path[CF_HOST_PATH];
    uint32_t device;

    rest = find_device(rest, "/sys/bus/iio/devices/iio:device", &device);
    if (rest == NULL || cf_text_after(rest, "in_") == NULL) {
        *what = "want iio0/in_voltage0 or iio/NAME/in_voltage0, of a device that is there";
        return -EINVAL;
    }
    cf_host_path(path, sizeof path, "/sys/bus/iio/devices/iio:device", device, "/", rest);
    cf_text_add(path, sizeof path, "_raw");
    const long fd = cf_host_open(path, O_RDONLY);
    if (fd < 0) {
        return fd;
    }
    cf_host_tell_property("input", rest);
    tell_iio(device, rest, "_scale", "scale");
    tell_iio(device, rest, "_offset", "offset");
    return cf_host_keep(d, 0, fd);
}

static long open_hwmon(struct cf_host_driver *d, const char *rest, const char **what) {
    char path[CF_HOST_PATH];
    uint32_t device;

    rest = find_device(rest, "/sys/class/hwmon/hwmon", &device);
    if (rest == NULL) {
        *what = "want hwmon0/temp1 or hwmon/NAME/temp1, of a device that is there";
        return -EINVAL;
    }
    const int is_output = cf_text_after(rest, "pwm") != NULL;
    d->way &= is_output ? CF_DRIVER_OUT : CF_DRIVER_IN;
    cf_host_path(path, sizeof path, "/sys/class/hwmon/hwmon", device, "/", rest);
    cf_text_add(path, sizeof path, is_output ? "" : "_input");
    const long fd = cf_host_open(path, is_output ? O_WRONLY : O_RDONLY);
    if (fd < 0) {
        return fd;
    }
    cf_host_tell_property("input", rest);
    if (is_output) {
        cf_text_add(path, sizeof path, "_enable");
        const long enable = cf_host_open(path, O_WRONLY);
        d->mode = enable >= 0;
        if (enable >= 0) {
            (void)cf_host_keep(d, ENABLE, enable);
        }
    }
    return cf_host_keep(d, 0, fd);
}

/* An output whose fan the chip controls itself is switched over by 1 in the register ENABLE. */
static long write_hwmon(struct cf_host_driver *d, uint32_t reg, uint32_t value) {
    if ((d->way & CF_DRIVER_OUT) == 0 || (reg != VALUE && reg != ENABLE) || value > (reg == VALUE ? 255u : 2u)) {
        return -EINVAL;
    }
    if (reg == ENABLE) {
        return d->mode != 0 ? write_number(d->fd + ENABLE, value) : 0;
    }
    return write_number(d->fd, value);
}

/* Opens a file of a PWM output that was exported a moment ago: udev may not yet have given the right to it. */
static long open_exported(const char *path, uint64_t until) {
    long fd;

    while ((fd = cf_host_open(path, O_WRONLY)) < 0 && cf_hal_ticks() < until) {
        cf_host_sleep_until(cf_hal_ticks() + LOOK_NS);
    }
    return fd;
}

static long open_pwm(struct cf_host_driver *d, const char *rest, const char **what) {
    static const char *const files[] = {"/duty_cycle", "/period", "/enable"};
    char path[CF_HOST_PATH];
    uint32_t chip, output;
    const char *s = cf_text_number(rest, 9999, &chip);

    if (s == NULL || *s++ != '/' || (s = cf_text_number(s, 9999, &output)) == NULL || *s != 0) {
        *what = "want pwmchip0/1: the number of a chip, and that of its output";
        return -EINVAL;
    }
    cf_host_path(path, sizeof path, "/sys/class/pwm/pwmchip", chip, "/export", "");
    const long fd = cf_host_open(path, O_WRONLY);
    if (fd < 0) {
        return fd;
    }
    long r = write_number((int)fd, output);
    (void)cf_sys1(__NR_close, fd);
    if (r != 0 && r != -EBUSY) { /* busy: it was exported before, or the kernel has it, whose folder is not there then */
        return r == -EINVAL ? -ENODEV : r;
    }
    const uint64_t until = cf_hal_ticks() + (r == 0 ? EXPORT_NS : 0);
    for (uint32_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char number[12];
        number[0] = 0;
        cf_text_add_number(number, sizeof number, output);
        cf_host_path(path, sizeof path, "/sys/class/pwm/pwmchip", chip, "/pwm", number);
        cf_text_add(path, sizeof path, files[i]);
        const long file = open_exported(path, until);
        if (file < 0) {
            return r == -EBUSY && file == -ENOENT ? -EBUSY : file;
        }
        r = cf_host_keep(d, i, file);
        if (r != 0) {
            return r;
        }
    }
    return 0;
}

/* A period shorter than the duty that is set is refused by the kernel, and so is any duty before there is a period. */
static long write_pwm(struct cf_host_driver *d, uint32_t reg, uint32_t value) {
    if (reg > ENABLE || value > (reg == ENABLE ? 1u : INT32_MAX)) {
        return -EINVAL;
    }
    long r = write_number(d->fd + (int)reg, value);
    if (r == -EINVAL && reg == PERIOD && (r = write_number(d->fd, 0)) == 0) {
        r = write_number(d->fd + PERIOD, value);
    }
    return r;
}

static long no_read(struct cf_host_driver *d, uint32_t reg, uint32_t *value) {
    (void)d, (void)reg, (void)value;
    return -EPERM;
}

const struct cf_host_driver_kind cf_host_iio = {"iio", "iio", CF_DRIVER_IN, open_iio, read_value, no_write, NULL};
const struct cf_host_driver_kind cf_host_hwmon = {"hwmon", "hwmon", CF_DRIVER_IN | CF_DRIVER_OUT, open_hwmon, read_value, write_hwmon, NULL};
const struct cf_host_driver_kind cf_host_pwm = {"pwm", "pwmchip", CF_DRIVER_OUT, open_pwm, no_read, write_pwm, NULL};
