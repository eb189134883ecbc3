#include "model.h"

#include <asm/errno.h>
#include <linux/can.h>
#include <linux/can/raw.h>
#include <linux/fcntl.h>
#include <linux/gpio.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys.h"

#define REFUSE(what) (fprintf(stderr, "%s:%d: the kernel would refuse: %s\n", __FILE__, __LINE__, what), exit(1))
#define WANT(condition) ((condition) ? (void)0 : REFUSE(#condition))

struct line lines[2][LINES];
struct frame sent[16];
uint32_t sent_count;
long gpio_error, bus_error;
uint64_t now = 1;
uint32_t calls;

enum what { CLOSED, CHIP, LINE, FILE_OF, SOCKET };

static struct descriptor {
    enum what what;
    uint32_t number; /* chip, line, file */
    uint32_t line;
    struct can_filter filter;
    int bound;
    struct frame queue[80];
    uint32_t queued;
} fds[400];

static long lowest(void) {
    for (long fd = 3; fd < 400; fd++) {
        if (fds[fd].what == CLOSED) {
            memset(&fds[fd], 0, sizeof fds[fd]);
            return fd;
        }
    }
    REFUSE("so many descriptors");
    return -EMFILE;
}

static long open_path(const char *path) {
    const long fd = lowest();

    for (uint32_t chip = 0; chip < 2; chip++) {
        char name[32];
        snprintf(name, sizeof name, "/dev/gpiochip%u", chip);
        if (strcmp(path, name) == 0) {
            fds[fd].what = CHIP;
            fds[fd].number = chip;
            return fd;
        }
    }
    for (uint32_t i = 0; files[i].path != NULL; i++) {
        if (strcmp(path, files[i].path) == 0) {
            fds[fd].what = FILE_OF;
            fds[fd].number = i;
            return fd;
        }
    }
    return -ENOENT;
}

static int is_zero(const void *p, size_t n) {
    const uint8_t *b = p;
    uint8_t all = 0;

    for (size_t i = 0; i < n; i++) {
        all |= b[i];
    }
    return all == 0;
}

/* The rules of gpio_v2_line_flags_validate, drivers/gpio/gpiolib-cdev.c. */
static long check_flags(uint64_t flags) {
    const uint64_t bias = flags & (GPIO_V2_LINE_FLAG_BIAS_PULL_UP | GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN | GPIO_V2_LINE_FLAG_BIAS_DISABLED);
    const uint64_t drive = flags & (GPIO_V2_LINE_FLAG_OPEN_DRAIN | GPIO_V2_LINE_FLAG_OPEN_SOURCE);
    const uint64_t way = flags & (GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_OUTPUT);

    if (way == (GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_OUTPUT) || (drive & (drive - 1)) != 0 || (bias & (bias - 1)) != 0
        || (drive != 0 && way != GPIO_V2_LINE_FLAG_OUTPUT) || (bias != 0 && way == 0)) {
        return -EINVAL;
    }
    return 0;
}

static long chip_ioctl(struct descriptor *d, unsigned long command, void *arg) {
    if (command == GPIO_GET_CHIPINFO_IOCTL) {
        ((struct gpiochip_info *)arg)->lines = LINES;
        return 0;
    }
    if (command == GPIO_V2_GET_LINEINFO_IOCTL) {
        struct gpio_v2_line_info *info = arg;
        WANT(is_zero(info->padding, sizeof info->padding));
        if (info->offset >= LINES) {
            return -EINVAL;
        }
        const struct line *l = &lines[d->number][info->offset];
        memset(info->name, 'x', sizeof info->name); /* a name may fill its field */
        if (l->name == NULL || strlen(l->name) < sizeof info->name) {
            strcpy(info->name, l->name == NULL ? "" : l->name);
        }
        return 0;
    }
    WANT(command == GPIO_V2_GET_LINE_IOCTL);
    struct gpio_v2_line_request *q = arg;
    WANT(is_zero(q->padding, sizeof q->padding) && is_zero(q->config.padding, sizeof q->config.padding));
    WANT(q->num_lines == 1 && memchr(q->consumer, 0, sizeof q->consumer) != NULL && q->config.num_attrs == 0);
    WANT(q->config.flags == 0); /* nothing changes before START */
    if (q->offsets[0] >= LINES) {
        return -EINVAL;
    }
    struct line *l = &lines[d->number][q->offsets[0]];
    if (l->taken) {
        return -EBUSY;
    }
    l->taken = 1;
    const long fd = lowest();
    fds[fd].what = LINE;
    fds[fd].number = d->number;
    fds[fd].line = q->offsets[0];
    q->fd = (int32_t)fd;
    return 0;
}

static long line_ioctl(struct descriptor *d, unsigned long command, void *arg) {
    struct line *l = &lines[d->number][d->line];
    const uint32_t low = (l->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0;
    struct gpio_v2_line_values *v = arg;

    if (gpio_error != 0) {
        return gpio_error;
    }
    if (command == GPIO_V2_LINE_GET_VALUES_IOCTL) {
        WANT(v->mask == 1);
        v->bits = l->level ^ low;
        return 0;
    }
    if (command == GPIO_V2_LINE_SET_VALUES_IOCTL) {
        WANT(v->mask == 1 && (v->bits & ~(uint64_t)1) == 0);
        if ((l->flags & GPIO_V2_LINE_FLAG_OUTPUT) == 0) {
            return -EPERM;
        }
        l->level = (uint32_t)v->bits ^ low;
        return 0;
    }
    WANT(command == GPIO_V2_LINE_SET_CONFIG_IOCTL);
    const struct gpio_v2_line_config *c = arg;
    WANT(is_zero(c->padding, sizeof c->padding) && c->num_attrs <= 1);
    if (check_flags(c->flags) != 0) {
        return -EINVAL;
    }
    l->flags = c->flags;
    if ((c->flags & GPIO_V2_LINE_FLAG_OUTPUT) != 0) {
        WANT(c->num_attrs == 1 && c->attrs[0].attr.padding == 0 && c->attrs[0].mask == 1);
        WANT(c->attrs[0].attr.id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES);
        l->level = (uint32_t)c->attrs[0].attr.values ^ ((c->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0);
    } else {
        WANT(c->num_attrs == 0);
    }
    return 0;
}

static long any_ioctl(struct descriptor *d, unsigned long command, void *arg) {
    switch (d->what) {
    case CHIP:
        return chip_ioctl(d, command, arg);
    case LINE:
        return line_ioctl(d, command, arg);
    case SOCKET:
        WANT(command == SIOCGIFINDEX);
        if (strcmp(arg, "can0") != 0) {
            return -ENODEV;
        }
        memcpy((char *)arg + 16, &(int32_t){7}, 4);
        return 0;
    default:
        return -ENOTTY;
    }
}

void bus_brings(uint32_t id, uint8_t length, const uint8_t *data) {
    for (struct descriptor *d = fds; d < fds + 400; d++) {
        if (d->what == SOCKET && d->bound && (id & d->filter.can_mask) == (d->filter.can_id & d->filter.can_mask)) {
            struct frame *f = &d->queue[d->queued++];
            f->id = id;
            f->length = length;
            memcpy(f->data, data, 8);
        }
    }
}

static long receive(struct descriptor *d, struct can_frame *f) {
    if (bus_error != 0 || d->queued == 0) {
        return bus_error != 0 ? bus_error : -EAGAIN;
    }
    memset(f, 0, sizeof *f);
    f->can_id = d->queue[0].id;
    f->len = d->queue[0].length;
    memcpy(f->data, d->queue[0].data, 8);
    d->queued--;
    memmove(d->queue, d->queue + 1, d->queued * sizeof d->queue[0]);
    return (long)sizeof *f;
}

static long transmit(const struct can_frame *f, long length) {
    WANT(length == (long)sizeof *f && f->len <= 8 && f->__pad == 0 && f->__res0 == 0);
    if (bus_error != 0) {
        return bus_error;
    }
    struct frame *s = &sent[sent_count++ % 16];
    s->id = f->can_id;
    s->length = f->len;
    memcpy(s->data, f->data, 8);
    return length;
}

static long file_access(struct file *f, void *bytes, long length, int is_write) {
    if (f->error != 0) {
        return f->error;
    }
    if (is_write) {
        WANT(length < (long)sizeof f->text);
        memcpy(f->text, bytes, (size_t)length);
        f->text[length] = 0;
        return length;
    }
    const long n = (long)strlen(f->text) < length ? (long)strlen(f->text) : length;
    memcpy(bytes, f->text, (size_t)n);
    return n;
}

long cf_sys6(long nr, long a, long b, long c, long d, long e, long f) {
    calls++;
    if (nr == __NR_openat) {
        WANT((c & O_CLOEXEC) != 0);
        return open_path((const char *)b);
    }
    if (nr == __NR_socket) {
        const long fd = lowest();
        WANT(a == 29 && (b & 0xf) == 3 && (b & 04000) != 0 && c == CAN_RAW);
        fds[fd].what = SOCKET;
        return fd;
    }
    if (a < 0 || a >= 400 || fds[a].what == CLOSED) {
        return -EBADF;
    }
    struct descriptor *at = &fds[a];
    switch (nr) {
    case __NR_close:
        if (at->what == LINE) {
            lines[at->number][at->line].taken = 0;
        }
        at->what = CLOSED;
        return 0;
    case __NR_dup3:
        WANT(fds[b].what == CLOSED && (c & O_CLOEXEC) != 0);
        fds[b] = *at;
        at->what = at->what == LINE ? CHIP : at->what; /* so that the line stays taken when this one is closed */
        return b;
    case __NR_ioctl:
        return any_ioctl(at, (unsigned long)b, (void *)c);
    case __NR_setsockopt:
        WANT(at->what == SOCKET && b == SOL_CAN_RAW && c == CAN_RAW_FILTER && e == (long)sizeof at->filter && !at->bound);
        at->filter = *(const struct can_filter *)d;
        return 0;
    case __NR_bind:
        WANT(c == (long)sizeof(struct sockaddr_can) && ((const struct sockaddr_can *)b)->can_family == 29);
        WANT(((const struct sockaddr_can *)b)->can_ifindex == 7);
        at->bound = 1;
        return 0;
    case __NR_recvfrom:
        WANT(at->what == SOCKET && c == (long)sizeof(struct can_frame) && d == 0x40 && e == 0 && f == 0);
        return receive(at, (struct can_frame *)b);
    case __NR_sendto:
        WANT(at->what == SOCKET && d == 0x40 && e == 0 && f == 0);
        return transmit((const struct can_frame *)b, c);
    case __NR_read:
    case __NR_pread64:
    case __NR_write:
    case __NR_pwrite64:
        WANT(at->what == FILE_OF && d == 0);
        return file_access(&files[at->number], (void *)b, c, nr == __NR_write || nr == __NR_pwrite64);
    default:
        REFUSE("a call that the filter does not let pass");
        return -ENOSYS;
    }
}
