package import Domain
internal import OAuth

extension PublishedForm {
    /// The prefix of `ce_type` and of `ce_source`.
    static let typePrefix = "chancery."
    static let sourcePrefix = "urn:chancery:log:"

    /// The type that a value of `ce_type` names; nil for one that this version does not know.
    package static func type(_ name: Span<UInt8>) -> StoredType? {
        guard has(name, typePrefix) else { return nil }
        return StoredType(name: name.extracting(typePrefix.utf8.count..<name.count))
    }

    /// The log that a value of `ce_source` names; nil for what is none.
    package static func log(_ source: Span<UInt8>) -> StreamID? {
        guard has(source, sourcePrefix) else { return nil }
        return StreamID(text: source.extracting(sourcePrefix.utf8.count..<source.count))
    }

    /// A hash in lower-case hexadecimal digits; nil for another form.
    package static func hash(_ text: Span<UInt8>) -> EventHash? {
        Hexadecimal.decode(text).flatMap { TokenDigest(bytes: $0) }.map(EventHash.init(digest:))
    }

    /// A number in decimal digits; with `digits`, exactly so many.
    package static func integer(_ text: Span<UInt8>, digits: Int? = nil) -> Int64? {
        guard text.count <= 20, digits.map({ $0 == text.count }) ?? true else { return nil }
        return DecimalDigits.read(text)
    }

    /// Reads what `record` made; the number of a project is not published, so `project` finds it.
    ///
    /// - Throws: `FormatError`, naming the header or member; a reader that must not miss anything
    ///   stops there.
    package static func read(
        _ record: PublishedRecord,
        project: (ProjectID) -> ProjectNumber?
    ) throws(FormatError) -> PublishedEvent {
        let headers = HeaderReader(record)
        let type = try storedType(headers)
        let columns = StoredColumns(
            occurredAt: try headers.value("ce_time") { RFC3339.read($0) },
            subject: try headers.optional("ce_subject") { StreamID(text: $0).map(SubjectID.init) },
            session: try headers.optional("ce_session") { StreamID(text: $0).map(SessionID.init) }
        )
        let isNamed = type.kind != .loginID
        let event = RecordedEvent(
            logIndex: try headers.value("ce_sequence") { integer($0, digits: 20) },
            project: try headers.value("ce_project") {
                ProjectID(Array(copying: $0)).flatMap(project)
            },
            stream: isNamed
                ? try headers.value("ce_stream") { StreamID(text: $0) } : StreamID(high: 0, low: 0),
            version: isNamed
                ? try headers.value("ce_streamversion") {
                    integer($0).flatMap(Int32.init(exactly:))
                }
                : 0,
            occurredAt: columns.occurredAt,
            subject: columns.subject,
            session: columns.session,
            body: try body(of: record, type, columns)
        )
        return PublishedEvent(
            log: try headers.value("ce_source") { log($0) },
            hash: try headers.value("ce_eventhash") { hash($0) },
            event: event
        )
    }

    private static func storedType(_ headers: HeaderReader) throws(FormatError) -> StoredType {
        if let type = try headers.value("ce_type", { .some(type($0)) }) { return type }
        throw .unknownName(try headers.value("ce_type") { String(utf8: $0) })
    }

    private static func body(
        of record: PublishedRecord,
        _ type: StoredType,
        _ columns: StoredColumns
    ) throws(FormatError) -> DomainEvent {
        let object: CanonicalObject
        do { object = try CanonicalObject(record.value) } catch { throw .payload(error) }
        var others = blanks[type] ?? []
        // The one optional digest that another member promises.
        if type == .offlineGrantRefreshed,
            object.member("rotated").flatMap(object.bool(of:)) == true
        {
            others.append(JSON.Member("secret", StoredMember.Form.text.blank(.digest)))
        }
        return try EventFormat.event(
            type,
            PayloadReader(object, others: .object(others), columns: columns)
        )
    }

    /// What stands for the members of each type that are not published.
    private static let blanks: [StoredType: [JSON.Member]] = Dictionary(
        uniqueKeysWithValues: StoredType.allCases.map { type in
            let kept = type.members.filter { $0.mark != .published && !$0.isOptional }
            return (type, kept.map { JSON.Member($0.name, $0.form.blank($0.mark)) })
        }
    )

    private static func has(_ text: Span<UInt8>, _ prefix: String) -> Bool {
        let start = prefix.utf8Span.span
        guard text.count >= start.count else { return false }
        for index in start.indices where text[index] != start[index] { return false }
        return true
    }
}

extension StoredMember.Form {
    private static let blankDigest = Base64URL.text([UInt8](repeating: 0, count: 32))

    /// Stands for what was not published.
    fileprivate func blank(_ mark: StoredMember.Mark) -> JSON {
        switch self {
        case .text: .string(mark == .digest ? Self.blankDigest : "")
        case .boolean: false
        case .integer, .time: 0
        case .id: .string(StreamID(high: 0, low: 0).description)
        case .texts: []
        case .parent, .key: .object([])
        }
    }
}

/// Takes values out of the headers of a record, strictly.
private struct HeaderReader {
    let record: PublishedRecord

    init(_ record: PublishedRecord) { self.record = record }

    func optional<Value>(
        _ name: String,
        _ read: (Span<UInt8>) -> Value?
    ) throws(FormatError) -> Value? {
        guard let place = record.headers.place(of: name) else { return nil }
        guard let value = read(record.headers.bytes.span.extracting(place)) else {
            throw .invalid(name)
        }
        return value
    }

    func value<Value>(
        _ name: String,
        _ read: (Span<UInt8>) -> Value?
    ) throws(FormatError) -> Value {
        guard let value = try optional(name, read) else { throw .missing(name) }
        return value
    }
}
