/*
 * The byte stream to the host: file descriptor 3 as it was inherited, a serial device, or the connections that come to a socket, one
 * after the other.
 */
#ifndef CF_HOST_STREAM_H
#define CF_HOST_STREAM_H

#include <stdint.h>

enum cf_host_stream {
    CF_STREAM_INHERITED, /* a socket; the runner ends with it */
    CF_STREAM_SERIAL,
    CF_STREAM_LISTENER, /* no host is connected to begin with, and again once it has hung up */
};

#define CF_HOST_ERRORS 2   /* where the reason for its end is told */
#define CF_HOST_FD 3       /* the stream */
#define CF_HOST_LISTENER 4 /* the socket that connections come to */
#define CF_HOST_STORE 5    /* the file of stored programs */

/* listen.c: opens what -listen names, or ends the process with the reason. Whom it lets in is told there. */
enum cf_host_stream cf_host_listen(const char *where, int remote);

/* stream.c: from here on it is that stream. */
void cf_host_stream_init(enum cf_host_stream kind);

/* cf_hal_rx, cf_hal_tx and cf_hal_wait are in stream.c, too. */

#endif
