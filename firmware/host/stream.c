/* The part of the HAL that is the byte stream to the host. */
#include <asm/errno.h>
#include <asm/poll.h>
#include <linux/signal.h>
#include <linux/time.h>

#include "core/mem.h"
#include "host.h"
#include "stream.h"
#include "sys.h"

#define RX_QUEUE CF_HOST_RX_QUEUE
#define TX_QUEUE 65536u
#define MSG_DONTWAIT 0x40 /* these are not in the kernel's headers for user space */
#define MSG_NOSIGNAL 0x4000
#define SOCK_CLOEXEC 02000000
#define STALL_NS 10000000000u /* a host that connected and takes nothing for so long is hung up on */
#define GONE_NS 100000000u    /* a serial device that is gone is looked at this often */

/* The runner's alone: no child inherits it. */
static struct stream {
    enum cf_host_stream kind;
    int connected;
    int hung_up; /* for good */
    uint32_t rx_at;
    uint32_t rx_end;
    uint32_t tx_length;
    uint8_t rx[RX_QUEUE]; /* received and not yet taken: rx[rx_at, rx_end) */
    uint8_t tx[TX_QUEUE]; /* gathered until the end of a frame */
} *stream;

void cf_host_stream_init(enum cf_host_stream kind) {
    stream = cf_host_private(sizeof *stream);
    stream->kind = kind;
    stream->connected = kind != CF_STREAM_LISTENER;
    if (kind != CF_STREAM_INHERITED) {
        cf_host_handle(SIGPIPE, (void (*)(void))SIG_IGN, 0);
    }
}

static void hang_up(void) {
    if (stream->kind != CF_STREAM_LISTENER) {
        stream->hung_up = 1;
        return;
    }
    (void)cf_sys1(__NR_close, CF_HOST_FD);
    stream->connected = 0;
    stream->tx_length = 0;
    stream->rx[0] = 0; /* the end of whatever frame was under way */
    stream->rx_at = 0;
    stream->rx_end = 1;
}

/* Fills the empty receive queue. flags are those of recvfrom. */
static void receive(int flags) {
    long n;

    do {
        if (stream->kind == CF_STREAM_SERIAL) {
            n = cf_sys3(__NR_read, CF_HOST_FD, stream->rx, sizeof stream->rx);
        } else {
            n = cf_sys6(__NR_recvfrom, CF_HOST_FD, (long)stream->rx, sizeof stream->rx, flags, 0, 0);
        }
    } while (n == -EINTR);
    stream->rx_at = 0;
    stream->rx_end = n > 0 ? (uint32_t)n : 0;
    if (n <= 0 && n != -EAGAIN) {
        hang_up();
    }
}

uint32_t cf_hal_rx(uint8_t *dst, uint32_t cap) {
    if (stream->rx_at == stream->rx_end && stream->connected && !stream->hung_up) {
        receive(MSG_DONTWAIT);
    }
    uint32_t n = stream->rx_end - stream->rx_at;
    if (n > cap) {
        n = cap;
    }
    memcpy(dst, stream->rx + stream->rx_at, n);
    stream->rx_at += n;
    return n;
}

/* Sleeps until the descriptor is ready for events, or that tick; UINT64_MAX: none. */
static void sleep_for(int fd, short events, uint64_t now, uint64_t deadline) {
    struct pollfd ready = {fd, events, 0};
    const struct cf_time timeout = cf_host_time(deadline - now);

    (void)cf_sys6(__NR_ppoll, (long)&ready, 1, deadline == UINT64_MAX ? 0 : (long)&timeout, 0, 0, 0);
}

/* Takes a connection if there is one. Its socket gets the lowest free descriptor, which the last connection has left. */
static void accept(void) {
    long fd = cf_sys4(__NR_accept4, CF_HOST_LISTENER, 0, 0, SOCK_CLOEXEC);

    if (fd == CF_HOST_FD) {
        stream->connected = 1;
    } else if (fd >= 0) {
        cf_host_die("a connection has another descriptor than expected", 0);
    }
}

int cf_hal_wait(uint64_t deadline) {
    const uint64_t now = cf_hal_ticks();
    const uint64_t look = cf_host_loop_look(now);

    if (look < deadline) {
        deadline = look;
    }
    if (stream->hung_up) {
        if (stream->kind == CF_STREAM_INHERITED || look == UINT64_MAX) {
            return -1;
        }
        cf_host_sleep_until(now + GONE_NS < deadline ? now + GONE_NS : deadline); /* the loop goes on */
        stream->hung_up = 0;
        return 0;
    }
    if (deadline <= now || stream->rx_at != stream->rx_end) {
        return 0;
    }
    if (!stream->connected) {
        sleep_for(CF_HOST_LISTENER, POLLIN, now, deadline);
        accept();
    } else if (deadline != UINT64_MAX || stream->kind == CF_STREAM_SERIAL) {
        sleep_for(CF_HOST_FD, POLLIN, now, deadline);
    } else {
        receive(0);
        return -stream->hung_up;
    }
    return 0;
}

/* Sends some bytes. Returns how many, or the kernel's error. */
static long send(const uint8_t *bytes, uint32_t length) {
    if (stream->kind == CF_STREAM_SERIAL) {
        return cf_sys3(__NR_write, CF_HOST_FD, bytes, length);
    }
    return cf_sys6(__NR_sendto, CF_HOST_FD, (long)bytes, (long)length, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
}

/* While the host takes nothing, the loop is looked after all the same. */
static void flush(void) {
    uint32_t at = 0;
    uint64_t began = 0; /* to wait */

    while (at < stream->tx_length && stream->connected && !stream->hung_up) {
        long n = send(stream->tx + at, stream->tx_length - at);
        if (n > 0) {
            at += (uint32_t)n;
            began = 0;
        } else if (n == -EAGAIN) {
            const uint64_t now = cf_hal_ticks();
            if (began == 0) {
                began = now;
            }
            if (stream->kind == CF_STREAM_LISTENER && now - began >= STALL_NS) {
                hang_up();
                return;
            }
            if (cf_host_loop_watch() != 0) {
                break; /* what is to be done then is more urgent than this frame */
            }
            const uint64_t look = cf_host_loop_look(now);
            sleep_for(CF_HOST_FD, POLLOUT, now, look - now < STALL_NS ? look : now + STALL_NS);
        } else if (n != -EINTR) {
            break; /* the peer is gone: the next read tells */
        }
    }
    stream->tx_length = 0;
}

void cf_hal_tx(const uint8_t *src, uint32_t len) {
    while (len > 0) {
        uint32_t room = sizeof stream->tx - stream->tx_length;
        uint32_t n = len < room ? len : room;
        memcpy(stream->tx + stream->tx_length, src, n);
        stream->tx_length += n;
        src += n;
        len -= n;
        if (stream->tx_length == sizeof stream->tx) {
            flush();
        }
    }
    if (stream->tx_length > 0 && stream->tx[stream->tx_length - 1] == 0) {
        flush();
    }
}
