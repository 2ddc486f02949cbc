// A second HTTP/1.1 parser, Debian's http-parser, behind one call.
#ifndef CHANCERY_REFERENCE_H
#define CHANCERY_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#define REFERENCE_BYTES_MAX 65536
#define REFERENCE_FIELDS_MAX 256

struct reference_text {
    size_t start, length;
};

// What the first request of some bytes came to; texts lie in `bytes`.
struct reference {
    int has_head, is_complete, is_upgrade;
    size_t head_length, consumed;
    const char *method;
    struct reference_text url, body;
    size_t field_count;
    struct reference_text names[REFERENCE_FIELDS_MAX], values[REFERENCE_FIELDS_MAX];
    size_t used;
    char bytes[REFERENCE_BYTES_MAX];
};

// Reads one request; whatever is wrong, `has_head` and `is_complete` say how far it came.
void reference_read(const uint8_t *bytes, size_t count, struct reference *result);

// Parts of a result; an index is below `field_count`.
struct reference_text reference_name(const struct reference *result, size_t index);
struct reference_text reference_value(const struct reference *result, size_t index);
const uint8_t *reference_bytes(const struct reference *result, struct reference_text text);

#endif
