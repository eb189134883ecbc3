#include "link.h"

#include "codes_gen.h"

_Static_assert(CF_SEQUENCE_WINDOW == 32, "the bitmap of received requests has 32 bits");

void cf_link_open(struct cf_link *l, uint32_t host_nonce) {
    l->session++;
    if (l->session == 0) {
        l->session = 1;
    }
    l->next = 1;
    l->received = 0;
    l->host_nonce = host_nonce;
}

enum cf_arrival cf_link_take(struct cf_link *l, uint16_t seq, int unordered) {
    const uint16_t ahead = (uint16_t)(seq - l->next);
    uint32_t more;

    if (ahead >= 0x8000u) {
        return CF_ARRIVAL_SEEN;
    }
    if (ahead > CF_SEQUENCE_WINDOW) {
        return CF_ARRIVAL_OUTSIDE;
    }
    if (ahead != 0) {
        const uint32_t bit = (uint32_t)1 << (ahead - 1u);
        if ((l->received & bit) != 0) {
            return CF_ARRIVAL_SEEN;
        }
        if (!unordered) {
            return CF_ARRIVAL_OUTSIDE;
        }
        l->received |= bit;
        return CF_ARRIVAL_NEW;
    }
    do {
        l->next++;
        more = l->received & 1u;
        l->received >>= 1;
    } while (more != 0);
    return CF_ARRIVAL_NEW;
}
