/*
 * Frames of a CAN bus, by SocketCAN (Documentation/networking/can.rst of the kernel). Each identifier that is allowed has a socket of its
 * own, whose filter lets no other one in, and no other one is ever sent. Received is the last frame; sent is one at the end of
 * a list that has changed it.
 */
#include <asm/errno.h>
#include <linux/can.h>
#include <linux/can/raw.h>
#include <linux/sockios.h>

#include "core/mem.h"
#include "drivers.h"
#include "host.h"
#include "sys.h"
#include "text.h"

/* Registers: bytes 0 to 3 and 4 to 7 of the frame, the first byte the lowest; then the eight bytes as one number whose first byte is the
 * highest, its lower half first; what it is: 0 received, or 16 and the length; ms since the last frame. */
enum { LOW, HIGH, BIG_LOW, BIG_HIGH, MODE, AGE };

#define SENT 16u
#define FRAMES 64u /* at most that are taken from the queue in one tick */
#define FULL_NS 1000000000u
#define NS_PER_MS 1000000u
#define MSG_DONTWAIT 0x40
#define SOCKET (3 | 04000 | 02000000) /* SOCK_RAW, SOCK_NONBLOCK, SOCK_CLOEXEC */
#define FAMILY 29                     /* AF_CAN */

/* As the kernel's, without what user space has another header for. */
struct request {
    char name[16];
    int32_t index;
    uint8_t rest[20];
};

/* Three digits are an identifier of 11 bits, eight one of 29. */
static const char *read_id(const char *s, uint32_t *id) {
    uint32_t digits = 0;

    for (*id = 0; *s != 0; s++, digits++) {
        const uint32_t c = (uint32_t)*s | 0x20u;
        const uint32_t digit = c - '0' < 10 ? c - '0' : c - 'a' < 6 ? c - 'a' + 10 : 16;
        if (digit > 15 || digits == 8) {
            return NULL;
        }
        *id = *id << 4 | digit;
    }
    if (digits == 8 && *id <= CAN_EFF_MASK) {
        *id |= CAN_EFF_FLAG;
        return s;
    }
    return digits == 3 && *id <= CAN_SFF_MASK ? s : NULL;
}

static long bind_to(long fd, const struct request *interface, uint32_t id) {
    struct request q = *interface;
    const struct can_filter filter = {id, CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_EFF_MASK};
    long r = cf_sys3(__NR_ioctl, fd, SIOCGIFINDEX, &q);

    if (r == 0) {
        r = cf_sys6(__NR_setsockopt, fd, SOL_CAN_RAW, CAN_RAW_FILTER, (long)&filter, sizeof filter, 0);
    }
    if (r == 0) {
        struct sockaddr_can address;
        memset(&address, 0, sizeof address);
        address.can_family = FAMILY;
        address.can_ifindex = q.index;
        r = cf_sys3(__NR_bind, fd, &address, sizeof address);
    }
    return r;
}

static long open(struct cf_host_driver *d, const char *rest, const char **what) {
    struct request interface;
    uint32_t n = 0;

    memset(&interface, 0, sizeof interface);
    while (rest[n] != 0 && rest[n] != '/' && n < sizeof interface.name - 1) {
        interface.name[n] = rest[n];
        n++;
    }
    if (n == 0 || rest[n] != '/' || read_id(rest + n + 1, &d->value[2]) == NULL) {
        *what = "want gpiochip0/17, gpio/LINE, iio0/in_voltage0, pwmchip0/1, hwmon0/temp1, or can0/123: an interface and an identifier, of "
                "three hexadecimal digits, or eight if it is extended";
        return -EINVAL;
    }
    const long fd = cf_sys3(__NR_socket, FAMILY, SOCKET, CAN_RAW);
    if (fd < 0) {
        return fd;
    }
    const long r = bind_to(fd, &interface, d->value[2]);
    if (r != 0) {
        (void)cf_sys1(__NR_close, fd);
        return r;
    }
    d->value[3] = 0;
    return cf_host_keep(d, 0, fd);
}

/* Takes what has come. A frame that is shorter than eight bytes leaves 0 in the others. */
static long receive(struct cf_host_driver *d) {
    struct can_frame f;

    for (uint32_t i = 0; i < FRAMES; i++) {
        const long n = cf_sys6(__NR_recvfrom, d->fd, (long)&f, sizeof f, MSG_DONTWAIT, 0, 0);
        if (n == -EAGAIN) {
            return 0;
        }
        if (n < 0) {
            return n;
        }
        if (n != (long)sizeof f || f.can_id != d->value[2] || f.len > CAN_MAX_DLEN) {
            return -EPROTO; /* the filter lets nothing else in */
        }
        memset(f.data + f.len, 0, CAN_MAX_DLEN - f.len);
        memcpy(d->value, f.data, CAN_MAX_DLEN);
        d->value[3] = 1;
        d->came = cf_hal_ticks();
    }
    return 0;
}

static uint32_t reversed(uint32_t v) {
    return v << 24 | (v & 0xff00u) << 8 | (v >> 8 & 0xff00u) | v >> 24;
}

/* Where a register of data lies, and whether its bytes are in the other order. */
static uint32_t *data(struct cf_host_driver *d, uint32_t reg, int *is_big) {
    *is_big = reg >= BIG_LOW;
    return &d->value[*is_big ? 1u - (reg - BIG_LOW) : reg];
}

static long read(struct cf_host_driver *d, uint32_t reg, uint32_t *value) {
    int is_big;

    if (reg > AGE || reg == MODE) {
        return -EINVAL;
    }
    if (d->mode == 0) {
        const long r = (d->way & CF_DRIVER_IN) == 0 ? -EPERM : cf_host_is_first(d) ? receive(d) : 0;
        if (r != 0) {
            return r;
        }
    }
    if (reg == AGE) {
        const uint64_t ms = (cf_hal_ticks() - d->came) / NS_PER_MS;
        *value = d->value[3] == 0 || ms > INT32_MAX ? INT32_MAX : (uint32_t)ms;
        return 0;
    }
    const uint32_t v = *data(d, reg, &is_big);
    *value = is_big ? reversed(v) : v;
    return 0;
}

static long write(struct cf_host_driver *d, uint32_t reg, uint32_t value) {
    int is_big;

    if (reg == MODE) {
        if (value == 0 ? (d->way & CF_DRIVER_IN) == 0 : (d->way & CF_DRIVER_OUT) == 0 || value - SENT > CAN_MAX_DLEN) {
            return -EPERM;
        }
        d->mode = value;
        d->value[0] = d->value[1] = d->value[3] = 0;
        d->came = cf_hal_ticks();
        return 0;
    }
    if (reg > BIG_HIGH || d->mode == 0) {
        return -EINVAL;
    }
    uint32_t *word = data(d, reg, &is_big);
    *word = is_big ? reversed(value) : value;
    d->changed = 1;
    return 0;
}

/* Sends the frame. A queue that is full passes, unless it does not for long. */
static long end(struct cf_host_driver *d) {
    struct can_frame f;

    memset(&f, 0, sizeof f);
    f.can_id = d->value[2];
    f.len = (uint8_t)(d->mode - SENT);
    memcpy(f.data, d->value, f.len);
    const long n = cf_sys6(__NR_sendto, d->fd, (long)&f, sizeof f, MSG_DONTWAIT, 0, 0);
    if (n == -ENOBUFS || n == -EAGAIN) {
        return cf_hal_ticks() - d->came > FULL_NS ? -ECOMM : 0;
    }
    d->came = cf_hal_ticks();
    return n < 0 ? n : n == (long)sizeof f ? 0 : -EPROTO;
}

const struct cf_host_driver_kind cf_host_can = {"can", "", CF_DRIVER_IN | CF_DRIVER_OUT, open, read, write, end};
