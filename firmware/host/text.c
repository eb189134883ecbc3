#include "text.h"

uint32_t cf_text_length(const char *s) {
    uint32_t n = 0;

    while (s[n] != 0) {
        n++;
    }
    return n;
}

int cf_text_equal(const char *a, const char *b) {
    const char *rest = cf_text_after(a, b);

    return rest != NULL && *rest == 0;
}

const char *cf_text_after(const char *s, const char *prefix) {
    for (; *prefix != 0; s++, prefix++) {
        if (*s != *prefix) {
            return NULL;
        }
    }
    return s;
}

const char *cf_text_number(const char *s, uint32_t most, uint32_t *value) {
    uint64_t v = 0;
    const char *at = s;

    for (; *at >= '0' && *at <= '9'; at++) {
        v = v * 10 + (uint32_t)(*at - '0');
        if (v > most) {
            return NULL;
        }
    }
    *value = (uint32_t)v;
    return at == s ? NULL : at;
}

void cf_text_add(char *buffer, uint32_t capacity, const char *s) {
    for (uint32_t at = cf_text_length(buffer); *s != 0 && at + 1 < capacity; s++) {
        buffer[at++] = *s;
        buffer[at] = 0;
    }
}

void cf_text_add_number(char *buffer, uint32_t capacity, uint32_t value) {
    char digits[11];
    uint32_t at = sizeof digits - 1;

    digits[at] = 0;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    cf_text_add(buffer, capacity, digits + at);
}
