/* Calls a service of the runner with operands of its own making, in the same number of
 * instructions every time, those of the service aside. */
#include <stdint.h>

struct block;
typedef uint32_t service(uint32_t a, uint32_t b, struct block *d);

/* Operands are random bits of which masks leave some and set some; of a, some go into b. */
struct block {
    uint32_t flags; /* the runner clears them before a run */
    service *call;
    uint32_t random;
    uint32_t digest; /* of all results so far */
    uint32_t leave[16], set[16], share[16];
};

/* What takes one instruction, for comparison. */
uint32_t nothing(uint32_t a, uint32_t b, struct block *d);
uint32_t nothing(uint32_t a, uint32_t b, struct block *d) {
    (void)b;
    (void)d;
    return a;
}

static inline uint32_t next(struct block *d) {
    uint32_t x = d->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    d->random = x;
    return x;
}

void program(struct block *d);
void program(struct block *d) {
    uint32_t choice = next(d);
    uint32_t a = (next(d) & d->leave[choice & 15]) | d->set[choice >> 4 & 15];
    uint32_t b = (next(d) & d->leave[choice >> 8 & 15]) | d->set[choice >> 12 & 15];
    uint32_t result = d->call(a, b ^ (a & d->share[choice >> 16 & 15]), d);
    uint32_t nan = 0u - ((0x7f800000u - (result & 0x7fffffffu)) >> 31); /* of any payload */
    result = (result & ~nan) | (0x7fc00000u & nan);
    d->digest = (d->digest << 5 | d->digest >> 27) ^ result;
}
