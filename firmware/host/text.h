/* Strings: arguments, files of the kernel, messages. */
#ifndef CF_HOST_TEXT_H
#define CF_HOST_TEXT_H

#include <stddef.h>
#include <stdint.h>

uint32_t cf_text_length(const char *s);
int cf_text_equal(const char *a, const char *b);

/* What is behind a prefix of s, NULL if s does not begin with it. */
const char *cf_text_after(const char *s, const char *prefix);

/* Reads a decimal number of at most `most` at s. Returns what is behind it, NULL if there is none. */
const char *cf_text_number(const char *s, uint32_t most, uint32_t *value);

/* Puts text, or a number, at the end of a buffer of `capacity` bytes that holds a string; what does not fit is left out. */
void cf_text_add(char *buffer, uint32_t capacity, const char *s);
void cf_text_add_number(char *buffer, uint32_t capacity, uint32_t value);

#endif
