/*
 * The patch engine: fix-ups that only the runner can make, since only it knows where code and data lie. What a patch computes is
 * data in the patch section (protocol/SPEC.md, patches), so there is nothing here about any one architecture.
 */
#ifndef CF_PATCH_H
#define CF_PATCH_H

#include <stdint.h>

struct cf_patch_region {
    uint8_t *bytes;    /* writable view */
    uintptr_t address; /* what the program sees */
    uint32_t targets;  /* offsets that a target may have: one more than there are bytes, or the number of services */
};

struct cf_patch_map {
    struct cf_patch_region region[3]; /* by CF_TARGET_*; of the last only `targets` is there */
    const uintptr_t *services;
};

/* Applies a whole patch section. Returns CF_OK, or CF_ERR_BAD_PATCH and sets *detail to the offset of what was wrong; the
 * regions may be partly patched then. Writes nothing outside of the regions whatever the section contains. */
int32_t cf_patch_apply(const struct cf_patch_map *map, const uint8_t *section, uint32_t length, uint32_t *detail);

#endif
