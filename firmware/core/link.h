/*
 * Which requests of a session have arrived. Sequence numbers are 16 bits and wrap; CF_SEQUENCE_WINDOW of them may be under way.
 */
#ifndef CF_LINK_H
#define CF_LINK_H

#include <stdint.h>

struct cf_link {
    uint16_t session;    /* 0: none yet */
    uint16_t next;       /* lowest sequence number that has not arrived */
    uint32_t received;   /* bit i: next + 1 + i has arrived */
    uint32_t host_nonce; /* that opened the session */
};

enum cf_arrival {
    CF_ARRIVAL_NEW,     /* arrives for the first time, and has been recorded */
    CF_ARRIVAL_SEEN,    /* arrived before */
    CF_ARRIVAL_OUTSIDE, /* beyond the window, or out of turn */
};

/* Opens a session with an id that differs from the one before. */
void cf_link_open(struct cf_link *l, uint32_t host_nonce);

/* Records the arrival of seq, which is to be the next one if `unordered` is 0. */
enum cf_arrival cf_link_take(struct cf_link *l, uint16_t seq, int unordered);

#endif
