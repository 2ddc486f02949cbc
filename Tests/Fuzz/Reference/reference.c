#include "reference.h"

#include <http_parser.h>
#include <string.h>

enum part { PART_NONE, PART_NAME, PART_VALUE };

struct state {
    struct reference *result;
    enum part part;
};

static void append(struct reference *result, struct reference_text *text, const char *at,
                   size_t length) {
    if (text->length == 0) text->start = result->used;
    if (result->used + length > REFERENCE_BYTES_MAX) return;
    memcpy(result->bytes + result->used, at, length);
    result->used += length;
    text->length += length;
}

static int on_url(http_parser *parser, const char *at, size_t length) {
    struct state *state = parser->data;
    append(state->result, &state->result->url, at, length);
    return 0;
}

static int on_name(http_parser *parser, const char *at, size_t length) {
    struct state *state = parser->data;
    // Trailers are no fields of the head.
    if (state->result->has_head) return 0;
    if (state->part != PART_NAME) {
        if (state->result->field_count == REFERENCE_FIELDS_MAX) return 1;
        state->result->field_count++;
        state->part = PART_NAME;
    }
    append(state->result, &state->result->names[state->result->field_count - 1], at, length);
    return 0;
}

static int on_value(http_parser *parser, const char *at, size_t length) {
    struct state *state = parser->data;
    if (state->result->has_head) return 0;
    state->part = PART_VALUE;
    append(state->result, &state->result->values[state->result->field_count - 1], at, length);
    return 0;
}

static int on_head(http_parser *parser) {
    struct state *state = parser->data;
    state->result->has_head = 1;
    state->result->is_upgrade = parser->upgrade;
    state->result->method = http_method_str(parser->method);
    return 0;
}

static int on_body(http_parser *parser, const char *at, size_t length) {
    struct state *state = parser->data;
    append(state->result, &state->result->body, at, length);
    return 0;
}

static int on_complete(http_parser *parser) {
    struct state *state = parser->data;
    state->result->is_complete = 1;
    http_parser_pause(parser, 1);
    return 0;
}

void reference_read(const uint8_t *bytes, size_t count, struct reference *result) {
    memset(result, 0, offsetof(struct reference, bytes));
    struct state state = {result, PART_NONE};
    http_parser_settings settings;
    http_parser_settings_init(&settings);
    settings.on_url = on_url;
    settings.on_header_field = on_name;
    settings.on_header_value = on_value;
    settings.on_headers_complete = on_head;
    settings.on_body = on_body;
    settings.on_message_complete = on_complete;
    http_parser parser;
    http_parser_init(&parser, HTTP_REQUEST);
    parser.data = &state;
    result->consumed = http_parser_execute(&parser, &settings, (const char *)bytes, count);
}

struct reference_text reference_name(const struct reference *result, size_t index) {
    return result->names[index];
}

struct reference_text reference_value(const struct reference *result, size_t index) {
    return result->values[index];
}

const uint8_t *reference_bytes(const struct reference *result, struct reference_text text) {
    return (const uint8_t *)result->bytes + text.start;
}
