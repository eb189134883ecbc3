/* Routines that a runner lends to programs on cores without float registers: the table for
 * the platform's `services`, and CF_FEAT_SOFT_FLOAT among its features. Meaning, registers
 * and bounds are in protocol/SPEC.md, section 9; a program finds them by index through
 * patches, so that they are in memory once and never in an image. */
#ifndef CF_SERVICES_H
#define CF_SERVICES_H

#include <stdint.h>

#include "core/codes_gen.h"

extern const uintptr_t cf_services[CF_SERVICE_COUNT];

#endif
