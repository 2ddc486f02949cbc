/// One statement parameter in PostgreSQL's binary form, with its type.
package struct Parameter: Hashable, Sendable {
    let type: TypeID
    /// The value's bytes, big-endian; nil is NULL.
    let bytes: [UInt8]?

    init(_ type: TypeID, _ bytes: [UInt8]?) {
        self.type = type
        self.bytes = bytes
    }

    private init(_ type: TypeID, _ width: Int, _ fill: (inout ParameterWriter) -> Void) {
        var writer = ParameterWriter(capacity: width)
        fill(&writer)
        self.init(type, writer.bytes)
    }

    /// A boolean.
    package static func bool(_ value: Bool) -> Self { Self(.bool, [value ? 1 : 0]) }
    /// A `smallint`.
    package static func int2(_ value: Int16) -> Self { Self(.int2, 2) { $0.write(value) } }
    /// An `integer`.
    package static func int4(_ value: Int32) -> Self { Self(.int4, 4) { $0.write(value) } }
    /// A `bigint`.
    package static func int8(_ value: Int64) -> Self { Self(.int8, 8) { $0.write(value) } }
    /// A `bigint`, or NULL.
    package static func optionalInt8(_ value: Int64?) -> Self {
        value.map(int8) ?? Self(.int8, nil)
    }
    /// A `double precision`.
    package static func float8(_ value: Double) -> Self {
        Self(.float8, 8) { $0.write(value.bitPattern) }
    }
    /// An `xid8`.
    package static func xid8(_ value: UInt64) -> Self { Self(.xid8, 8) { $0.write(value) } }
    /// A `uuid`, as its big-endian halves.
    package static func uuid(_ value: (UInt64, UInt64)) -> Self {
        Self(.uuid, 16) {
            $0.write(value.0); $0.write(value.1)
        }
    }
    /// A `uuid`, or NULL.
    package static func optionalUUID(_ value: (UInt64, UInt64)?) -> Self {
        value.map(uuid) ?? Self(.uuid, nil)
    }
    /// A `timestamptz` in microseconds since 1970; out of PostgreSQL's range it is clamped.
    package static func timestamp(_ microseconds: Int64) -> Self {
        Self(.timestamptz, 8) { $0.write(Timestamp.encoded(microseconds)) }
    }
    /// A `timestamptz`, or NULL.
    package static func optionalTimestamp(_ microseconds: Int64?) -> Self {
        microseconds.map(timestamp) ?? Self(.timestamptz, nil)
    }
    /// A `bytea`.
    package static func bytes(_ value: [UInt8]) -> Self { Self(.bytea, value) }
    /// A `bytea`, or NULL.
    package static func optionalBytes(_ value: [UInt8]?) -> Self { Self(.bytea, value) }
    /// A `text`; a NUL inside is refused by PostgreSQL, as anything that is not UTF-8.
    package static func text(_ value: String) -> Self { Self(.text, Array(value.utf8)) }
    /// A `text`, or NULL.
    package static func optionalText(_ value: String?) -> Self {
        Self(.text, value.map { Array($0.utf8) })
    }
}
