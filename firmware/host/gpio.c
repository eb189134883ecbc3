/*
 * GPIO lines, by version 2 of the interface of character devices (Documentation/userspace-api/gpio of the kernel, linux/gpio.h), each
 * with a descriptor of its own. A line is requested as it is, so that nothing changes before a program is started.
 */
#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/gpio.h>

#include "core/mem.h"
#include "drivers.h"
#include "host.h"
#include "sys.h"
#include "text.h"

/* Registers. */
enum { LEVEL, MODE };

#define CHIPS 64u

#define BIAS (GPIO_V2_LINE_FLAG_BIAS_PULL_UP | GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN | GPIO_V2_LINE_FLAG_BIAS_DISABLED)
#define DRIVE (GPIO_V2_LINE_FLAG_OPEN_DRAIN | GPIO_V2_LINE_FLAG_OPEN_SOURCE)
#define WAYS (GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_OUTPUT)

static long open_chip(uint32_t chip) {
    char path[CF_HOST_PATH];

    cf_host_path(path, sizeof path, "/dev/gpiochip", chip, "", "");
    return cf_host_open(path, O_RDWR);
}

/* Copies a name of the kernel's, which may fill its field. */
static void take_name(char *to, const char *from) {
    memcpy(to, from, GPIO_MAX_NAME_SIZE);
    to[GPIO_MAX_NAME_SIZE] = 0;
}

/* Finds a line by its name. Returns 0, or an error. */
static long find(const char *name, uint32_t *chip, uint32_t *line) {
    for (*chip = 0; *chip < CHIPS; ++*chip) {
        const long fd = open_chip(*chip);
        struct gpiochip_info all;
        if (fd < 0) {
            continue;
        }
        memset(&all, 0, sizeof all);
        if (cf_sys3(__NR_ioctl, fd, GPIO_GET_CHIPINFO_IOCTL, &all) != 0) {
            all.lines = 0;
        }
        for (*line = 0; *line < all.lines; ++*line) {
            struct gpio_v2_line_info info;
            char own[GPIO_MAX_NAME_SIZE + 1];
            memset(&info, 0, sizeof info);
            info.offset = *line;
            if (cf_sys3(__NR_ioctl, fd, GPIO_V2_GET_LINEINFO_IOCTL, &info) == 0) {
                take_name(own, info.name);
                if (cf_text_equal(own, name)) {
                    (void)cf_sys1(__NR_close, fd);
                    return 0;
                }
            }
        }
        (void)cf_sys1(__NR_close, fd);
    }
    return -ENOENT;
}

static long request(struct cf_host_driver *d, long chip, uint32_t line) {
    struct gpio_v2_line_request q;
    struct gpio_v2_line_info info;
    char name[GPIO_MAX_NAME_SIZE + 1];

    memset(&info, 0, sizeof info);
    info.offset = line;
    long r = cf_sys3(__NR_ioctl, chip, GPIO_V2_GET_LINEINFO_IOCTL, &info);
    if (r != 0) {
        return r;
    }
    take_name(name, info.name);
    cf_host_tell_property("alias", name);
    memset(&q, 0, sizeof q);
    q.offsets[0] = line;
    q.num_lines = 1;
    memcpy(q.consumer, "copaflash", sizeof "copaflash");
    r = cf_sys3(__NR_ioctl, chip, GPIO_V2_GET_LINE_IOCTL, &q);
    return r != 0 ? r : cf_host_keep(d, 0, q.fd);
}

static long open(struct cf_host_driver *d, const char *rest, const char **what) {
    uint32_t chip, line;
    const char *s;

    if (*rest == '/') {
        const long r = find(rest + 1, &chip, &line);
        if (r != 0) {
            *what = "no line of this machine has that name; copaflash runner channels lists them";
            return r;
        }
    } else if ((s = cf_text_after(rest, "chip")) == NULL || (s = cf_text_number(s, CHIPS - 1u, &chip)) == NULL || *s++ != '/'
               || (s = cf_text_number(s, UINT16_MAX, &line)) == NULL || *s != 0) {
        *what = "want gpiochip0/17: the number of a chip, and that of its line";
        return -EINVAL;
    }
    const long fd = open_chip(chip);
    if (fd < 0) {
        return fd;
    }
    const long r = request(d, fd, line);
    (void)cf_sys1(__NR_close, fd);
    if (r == -EINVAL) {
        *what = "the chip has no such line";
    } else if (r == -ENOTTY) {
        *what = "this kernel has not version 2 of the interface of GPIO devices: it takes Linux 5.10";
    }
    return r;
}

static long read(struct cf_host_driver *d, uint32_t reg, uint32_t *value) {
    struct gpio_v2_line_values levels = {0, 1};

    if (reg != LEVEL) {
        return -EINVAL;
    }
    if (cf_host_is_first(d)) {
        const long r = cf_sys3(__NR_ioctl, d->fd, GPIO_V2_LINE_GET_VALUES_IOCTL, &levels);
        if (r != 0) {
            return r;
        }
        d->value[1] = (uint32_t)levels.bits & 1u;
    }
    *value = d->value[1];
    return 0;
}

/* Makes the line what the flags say. An output has the level that was written last from the first moment on. */
static long configure(struct cf_host_driver *d, uint32_t flags) {
    struct gpio_v2_line_config config;
    const uint32_t way = flags & WAYS;

    if ((flags & ~(uint32_t)(BIAS | DRIVE | WAYS | GPIO_V2_LINE_FLAG_ACTIVE_LOW)) != 0
        || (way == GPIO_V2_LINE_FLAG_INPUT ? (d->way & CF_DRIVER_IN) == 0 : way != GPIO_V2_LINE_FLAG_OUTPUT || (d->way & CF_DRIVER_OUT) == 0)) {
        return -EPERM;
    }
    memset(&config, 0, sizeof config);
    config.flags = flags;
    if (way == GPIO_V2_LINE_FLAG_OUTPUT) {
        config.num_attrs = 1;
        config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
        config.attrs[0].attr.values = d->value[0];
        config.attrs[0].mask = 1;
    }
    const long r = cf_sys3(__NR_ioctl, d->fd, GPIO_V2_LINE_SET_CONFIG_IOCTL, &config);
    d->mode = r == 0 ? way : 0;
    return r;
}

static long write(struct cf_host_driver *d, uint32_t reg, uint32_t value) {
    if (reg == MODE) {
        return configure(d, value);
    }
    if (reg != LEVEL) {
        return -EINVAL;
    }
    d->value[0] = value & 1u;
    if (d->mode != GPIO_V2_LINE_FLAG_OUTPUT) { /* for when it becomes one */
        return (d->way & CF_DRIVER_OUT) != 0 ? 0 : -EPERM;
    }
    const struct gpio_v2_line_values levels = {d->value[0], 1};
    return cf_sys3(__NR_ioctl, d->fd, GPIO_V2_LINE_SET_VALUES_IOCTL, &levels);
}

const struct cf_host_driver_kind cf_host_gpio = {"gpio", "gpio", CF_DRIVER_IN | CF_DRIVER_OUT, open, read, write, NULL};
