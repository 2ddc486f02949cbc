#pragma once
#include <yaml.h>

// Swift imports no anonymous unions: one accessor for each member that is read.

static inline const yaml_char_t *cyaml_scalar_value(const yaml_event_t *event) {
    return event->data.scalar.value;
}

static inline size_t cyaml_scalar_length(const yaml_event_t *event) {
    return event->data.scalar.length;
}

static inline int cyaml_scalar_is_plain(const yaml_event_t *event) {
    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static inline int cyaml_has_anchor(const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT: return event->data.scalar.anchor != NULL;
    case YAML_SEQUENCE_START_EVENT: return event->data.sequence_start.anchor != NULL;
    case YAML_MAPPING_START_EVENT: return event->data.mapping_start.anchor != NULL;
    default: return 0;
    }
}

static inline int cyaml_has_tag(const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT: return event->data.scalar.tag != NULL;
    case YAML_SEQUENCE_START_EVENT: return event->data.sequence_start.tag != NULL;
    case YAML_MAPPING_START_EVENT: return event->data.mapping_start.tag != NULL;
    default: return 0;
    }
}
