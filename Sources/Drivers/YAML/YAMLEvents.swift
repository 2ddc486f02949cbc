internal import CYAML

/// What libyaml finds in a document, one event after another.
struct YAMLEvents {
    /// An event without what a tree does not need.
    enum Event {
        case documentStart
        case scalar(String, isPlain: Bool)
        case sequenceStart, sequenceEnd
        case mappingStart, mappingEnd
    }

    struct Located {
        var event: Event
        var place: YAMLPlace
    }

    /// All events of `bytes`, at most 1 MiB, so at most a million.
    static func read(_ bytes: [UInt8]) throws(YAMLError) -> [Located] {
        var parser = unsafe yaml_parser_t()
        guard unsafe yaml_parser_initialize(&parser) == 1 else {
            throw YAMLError(.syntax("no memory"), at: YAMLPlace(line: 1, column: 1))
        }
        defer { unsafe yaml_parser_delete(&parser) }
        // It would take UTF-16 by its byte order mark.
        unsafe yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
        // The library keeps the pointer for as long as it parses.
        let result = unsafe bytes.withUnsafeBufferPointer {
            input -> Result<[Located], YAMLError> in
            unsafe yaml_parser_set_input_string(&parser, input.baseAddress, input.count)
            return Result { () throws(YAMLError) in try unsafe drain(&parser) }
        }
        return try result.get()
    }

    private static func drain(_ parser: inout yaml_parser_t) throws(YAMLError) -> [Located] {
        var found: [Located] = []
        var depth = 0
        while true {
            var event = unsafe yaml_event_t()
            guard unsafe yaml_parser_parse(&parser, &event) == 1 else {
                throw unsafe problem(of: parser)
            }
            defer { unsafe yaml_event_delete(&event) }
            let place = place(unsafe event.start_mark)
            if unsafe event.type == YAML_STREAM_END_EVENT { return found }
            guard unsafe cyaml_has_anchor(&event) == 0 else { throw YAMLError(.anchor, at: place) }
            guard unsafe cyaml_has_tag(&event) == 0 else { throw YAMLError(.tag, at: place) }
            guard let kept = try unsafe translate(&event, at: place) else { continue }
            switch kept {
            case .sequenceStart, .mappingStart: depth += 1
            case .sequenceEnd, .mappingEnd: depth -= 1
            case .documentStart, .scalar: break
            }
            guard depth <= YAMLDocument.depthMax else { throw YAMLError(.tooDeep, at: place) }
            found.append(Located(event: kept, place: place))
        }
    }

    private static func translate(
        _ event: inout yaml_event_t,
        at place: YAMLPlace
    ) throws(YAMLError) -> Event? {
        switch unsafe event.type {
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_SCALAR_EVENT:
            let text = unsafe UnsafeBufferPointer(
                start: cyaml_scalar_value(&event),
                count: cyaml_scalar_length(&event)
            )
            let isPlain = unsafe cyaml_scalar_is_plain(&event) == 1
            return .scalar(unsafe String(decoding: text, as: UTF8.self), isPlain: isPlain)
        case YAML_SEQUENCE_START_EVENT: return .sequenceStart
        case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
        case YAML_MAPPING_START_EVENT: return .mappingStart
        case YAML_MAPPING_END_EVENT: return .mappingEnd
        case YAML_ALIAS_EVENT: throw YAMLError(.alias, at: place)
        default: return nil
        }
    }

    private static func problem(of parser: yaml_parser_t) -> YAMLError {
        let words = unsafe parser.problem.map { unsafe String(cString: $0) }
        // A reader error (bad UTF-8, control character) has an offset and no mark.
        return YAMLError(.syntax(words ?? "no memory"), at: place(unsafe parser.problem_mark))
    }

    private static func place(_ mark: yaml_mark_t) -> YAMLPlace {
        YAMLPlace(line: mark.line + 1, column: mark.column + 1)
    }
}
