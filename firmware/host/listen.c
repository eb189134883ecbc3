/*
 * What -listen names: a unix socket, a TCP port, or a serial device. All of it happens before the filter, and before there is a
 * program.
 */
#include <asm/errno.h>
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <linux/fcntl.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/net.h>
#include <linux/tcp.h>
#include <linux/un.h>

#include "core/mem.h"
#include "host.h"
#include "stream.h"
#include "sys.h"
#include "text.h"

/* Not in the kernel's headers for user space. */
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1
#define SOCK_NONBLOCK 04000
#define SOL_SOCKET_LEVEL 1
#define SO_REUSEADDR_OPTION 2
#define SO_KEEPALIVE_OPTION 9

#define BACKLOG 4
#define KEEPALIVE_S 5    /* silent so long, and then asked so often: a peer whose cable is cut is gone after 20 s */
#define KEEPALIVE_TIMES 3
#define UNACKNOWLEDGED_MS 20000

union address {
    uint16_t family;
    struct sockaddr_un unix_path;
    struct sockaddr_in inet;
    struct sockaddr_in6 inet6;
};

static void option(long fd, int level, int name, int value) {
    (void)cf_sys6(__NR_setsockopt, fd, level, name, (long)&value, sizeof value, 0);
}

/* Makes a socket that listens at an address, with its final number. Returns 0 or the kernel's error. */
static long listen_at(const union address *a, uint32_t length) {
    long fd = cf_sys3(__NR_socket, a->family, SOCK_STREAM | SOCK_NONBLOCK, 0);

    if (fd < 0) {
        return fd;
    }
    if (a->family != AF_UNIX) { /* connections inherit these */
        option(fd, SOL_SOCKET_LEVEL, SO_REUSEADDR_OPTION, 1);
        option(fd, SOL_SOCKET_LEVEL, SO_KEEPALIVE_OPTION, 1);
        option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
        option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_S);
        option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_S);
        option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_TIMES);
        option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS);
    }
    long r = cf_sys3(__NR_bind, fd, a, length);
    if (r == 0) {
        r = cf_sys2(__NR_listen, fd, BACKLOG);
    }
    if (r == 0 && fd != CF_HOST_LISTENER) {
        r = cf_sys3(__NR_dup3, fd, CF_HOST_LISTENER, O_CLOEXEC);
        (void)cf_sys1(__NR_close, fd);
        return r < 0 ? r : 0;
    }
    if (r != 0) {
        (void)cf_sys1(__NR_close, fd);
    }
    return r;
}

/* Whether a socket is left of a runner that is gone: nobody answers there. */
static int is_stale(const union address *a, uint32_t length) {
    long fd = cf_sys3(__NR_socket, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    long r = cf_sys3(__NR_connect, fd, a, length);

    (void)cf_sys1(__NR_close, fd);
    return r == -ECONNREFUSED;
}

static void listen_unix(const char *path) {
    union address a;
    const uint32_t length = cf_text_length(path);

    memset(&a, 0, sizeof a);
    a.family = AF_UNIX;
    if (length == 0 || length >= sizeof a.unix_path.sun_path) {
        cf_host_die("-listen unix:PATH wants a path of 1 to 107 bytes", 0);
    }
    memcpy(a.unix_path.sun_path, path, length);
    long r = listen_at(&a, sizeof a.unix_path);
    if (r == -EADDRINUSE && is_stale(&a, sizeof a.unix_path)) {
        (void)cf_sys3(__NR_unlinkat, AT_FDCWD, path, 0);
        r = listen_at(&a, sizeof a.unix_path);
    }
    if (r != 0) {
        cf_host_die(r == -EADDRINUSE ? "there is a runner at this socket, or a file in its place" : "cannot listen at this path", r);
    }
}

/* Reads an address of four numbers, or one of few names. Returns what is behind it, NULL if it is none. */
static const char *read_address(const char *s, union address *a) {
    static const struct {
        const char *name;
        uint16_t family;
        uint8_t bytes[16]; /* in the order of the network */
    } names[] = {
        {"localhost", AF_INET, {127, 0, 0, 1}},
        {"*", AF_INET, {0}},
        {"[::1]", AF_INET6, {[15] = 1}},
        {"[::]", AF_INET6, {0}},
    };

    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *rest = cf_text_after(s, names[i].name);
        if (rest != NULL) {
            a->family = names[i].family;
            if (a->family == AF_INET) {
                memcpy(&a->inet.sin_addr, names[i].bytes, sizeof a->inet.sin_addr);
            } else {
                memcpy(&a->inet6.sin6_addr, names[i].bytes, sizeof a->inet6.sin6_addr);
            }
            return rest;
        }
    }
    uint8_t bytes[4];
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t v;
        s = cf_text_number(s, 255, &v);
        if (s == NULL || (i < 3 && *s++ != '.')) {
            return NULL;
        }
        bytes[i] = (uint8_t)v;
    }
    a->family = AF_INET;
    memcpy(&a->inet.sin_addr, bytes, sizeof bytes);
    return s;
}

static int is_loopback(const union address *a) {
    const uint8_t *bytes = (const uint8_t *)&a->inet.sin_addr;

    if (a->family == AF_INET) {
        return bytes[0] == 127;
    }
    bytes = (const uint8_t *)&a->inet6.sin6_addr;
    uint8_t others = 0;
    for (uint32_t i = 0; i < 15; i++) {
        others |= bytes[i];
    }
    return others == 0 && bytes[15] == 1;
}

static void listen_tcp(const char *where, int remote) {
    union address a;
    uint32_t port;

    memset(&a, 0, sizeof a);
    const char *s = read_address(where, &a);
    if (s == NULL || *s++ != ':' || (s = cf_text_number(s, 65535, &port)) == NULL || *s != 0 || port == 0) {
        cf_host_die("-listen tcp:ADDRESS:PORT wants an address in numbers, localhost, [::1], * or [::], and a port of 1 to 65535", 0);
    }
    if (!remote && !is_loopback(&a)) {
        cf_host_die("this address can be reached from other machines, and whoever reaches it controls the outputs: "
                    "use 127.0.0.1 and an SSH tunnel, or add -remote",
                    0);
    }
    a.inet.sin_port = (uint16_t)(port << 8 | port >> 8); /* at the same place in the other one */
    long r = listen_at(&a, a.family == AF_INET ? sizeof a.inet : sizeof a.inet6);
    if (r != 0) {
        cf_host_die("cannot listen at this port", r);
    }
}

static void open_serial(const char *where) {
    char device[128];
    uint32_t n = 0, baud;

    while (where[n] != 0 && where[n] != '@' && n < sizeof device - 1) {
        device[n] = where[n];
        n++;
    }
    device[n] = 0;
    const char *rest = where[n] == '@' ? cf_text_number(where + n + 1, 100000000, &baud) : NULL;
    if (n == 0 || rest == NULL || *rest != 0 || baud == 0) {
        cf_host_die("-listen serial:DEVICE@BAUD wants a device and a rate, as in serial:/dev/ttyAMA0@115200", 0);
    }
    long fd = cf_sys4(__NR_openat, AT_FDCWD, device, O_RDWR | O_NOCTTY | O_NONBLOCK, 0);
    if (fd < 0) {
        cf_host_die("cannot open the serial device", fd);
    }
    struct termios2 line;
    long r = cf_sys3(__NR_ioctl, fd, TCGETS2, &line);
    if (r == 0) {
        line.c_iflag = 0;
        line.c_oflag = 0;
        line.c_lflag = 0;
        line.c_cflag = BOTHER | BOTHER << IBSHIFT | CS8 | CREAD | CLOCAL;
        line.c_ispeed = line.c_ospeed = baud;
        memset(line.c_cc, 0, sizeof line.c_cc);
        line.c_cc[VMIN] = 1;
        r = cf_sys3(__NR_ioctl, fd, TCSETS2, &line);
    }
    if (r == 0) {
        r = cf_sys2(__NR_ioctl, fd, TIOCEXCL);
    }
    if (r == 0 && fd != CF_HOST_FD) {
        r = cf_sys3(__NR_dup3, fd, CF_HOST_FD, 0);
        (void)cf_sys1(__NR_close, fd);
    }
    if (r < 0) {
        cf_host_die("cannot set up the serial device", r);
    }
}

enum cf_host_stream cf_host_listen(const char *where, int remote) {
    const char *rest;

    if ((rest = cf_text_after(where, "unix:")) != NULL) {
        listen_unix(rest);
        return CF_STREAM_LISTENER;
    }
    if ((rest = cf_text_after(where, "tcp:")) != NULL) {
        listen_tcp(rest, remote);
        return CF_STREAM_LISTENER;
    }
    if ((rest = cf_text_after(where, "serial:")) != NULL) {
        open_serial(rest);
        return CF_STREAM_SERIAL;
    }
    cf_host_die("-listen wants unix:PATH, tcp:ADDRESS:PORT or serial:DEVICE@BAUD", 0);
}
