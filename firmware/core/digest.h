/* The digest of an image: FNV-1a of 64 bits (RFC 9923). It finds errors that frames have not; it is no proof against forgery, as whoever
 * can send an image has it run. */
#ifndef CF_DIGEST_H
#define CF_DIGEST_H

#include <stdint.h>

#define CF_DIGEST_EMPTY 0xcbf29ce484222325u /* of no bytes */

/* The digest of the bytes that `digest` is of, and of these behind them. */
uint64_t cf_digest(uint64_t digest, const void *bytes, uint32_t n);

#endif
