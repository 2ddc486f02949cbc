package import Domain
internal import OAuth

/// Folded states to bytes and back, for snapshots (Events 7).
///
/// Only aggregates whose streams grow long have a format. The bytes are canonical JSON and hold
/// the whole state: what cannot be given back exactly is not written at all.
package enum StateFormat {
    /// The number of an aggregate's format; nil: its states are never kept.
    package static func number<A: Aggregate>(for _: A.Type) -> Int32? {
        (A.State.self as? any StoredState.Type)?.format
    }

    /// A state and its format's number; nil when it has no format, or these bytes would not give
    /// it back, as when a member was added to a state and forgotten here.
    package static func encode(_ state: any Sendable) -> (format: Int32, bytes: [UInt8])? {
        (state as? any StoredState)?.stored
    }

    /// The state of such bytes; nil when they are of another format or damaged.
    package static func decode<A: Aggregate>(_ bytes: [UInt8], as _: A.Type) -> A.State? {
        guard let type = A.State.self as? any StoredState.Type else { return nil }
        return type.read(bytes) as? A.State
    }
}

/// A state that can be kept as bytes.
protocol StoredState: Equatable, Sendable {
    /// Raised with any change of what a state holds or of how events change it: a state of
    /// another number is folded again from the events.
    static var format: Int32 { get }

    /// Nothing has happened yet: there is nothing to keep.
    var isInitial: Bool { get }

    /// Writes every member.
    func write(to payload: inout JSONWriter)

    /// Reads what `write` wrote.
    init(from payload: PayloadReader) throws(FormatError)
}

extension StoredState {
    fileprivate var stored: (format: Int32, bytes: [UInt8])? {
        guard !isInitial else { return nil }
        var writer = JSONWriter(reserving: 1024)
        writer.object { write(to: &$0) }
        guard Self.read(writer.bytes) == self else { return nil }
        return (Self.format, writer.bytes)
    }

    fileprivate static func read(_ bytes: [UInt8]) -> Self? {
        guard let payload = try? CanonicalJSON.read(bytes) else { return nil }
        return try? Self(from: PayloadReader(payload, columns: .none))
    }
}

extension StoredColumns {
    /// A state has no columns: all of it is in its bytes.
    fileprivate static var none: Self { Self(occurredAt: Instant(microseconds: 0)) }
}

extension JSONWriter {
    /// To the microsecond, as columns have it.
    mutating func member(_ name: String, microseconds time: Instant) {
        let range = CanonicalJSON.integers
        member(name, min(max(time.microseconds, range.lowerBound), range.upperBound))
    }

    /// Objects in their order.
    mutating func member<Element>(
        _ name: String,
        objects elements: [Element],
        _ body: (inout Self, Element) -> Void
    ) {
        self.name(name)
        array { array in
            for element in elements { array.object { body(&$0, element) } }
        }
    }
}

extension PayloadReader {
    func microseconds(_ name: String) throws(FormatError) -> Instant {
        Instant(microseconds: try integer(name))
    }

    func subject(_ name: String) throws(FormatError) -> SubjectID {
        SubjectID(try stream(name))
    }

    /// The object at `name`, as a payload with these columns.
    func object(
        _ name: String,
        columns: StoredColumns? = nil
    ) throws(FormatError) -> PayloadReader {
        let value = try required(name) { $0.json.flatMap { $0.members == nil ? nil : $0 } }
        return PayloadReader(value, columns: columns ?? self.columns)
    }

    /// Objects in their order.
    func objects<Element>(
        _ name: String,
        _ read: (PayloadReader) throws(FormatError) -> Element
    ) throws(FormatError) -> [Element] {
        var elements: [Element] = []
        for value in try required(name, \.json?.array) {
            elements.append(try read(PayloadReader(value, columns: columns)))
        }
        return elements
    }
}
