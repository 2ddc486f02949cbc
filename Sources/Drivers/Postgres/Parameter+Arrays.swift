// Arrays, not any collection: a generic loop would not be specialised for callers elsewhere, and
// cost an append call more than all its bytes.
extension Parameter {
    /// A `smallint[]`.
    package static func int2s(_ values: [Int16]) -> Self {
        array(.int2Array, of: .int2, values, width: 2) { $0.append(bigEndian: $1) }
    }

    /// An `integer[]`.
    package static func int4s(_ values: [Int32]) -> Self {
        array(.int4Array, of: .int4, values, width: 4) { $0.append(bigEndian: $1) }
    }

    /// A `bigint[]`.
    package static func int8s(_ values: [Int64]) -> Self {
        array(.int8Array, of: .int8, values, width: 8) { $0.append(bigEndian: $1) }
    }

    /// An `xid8[]`.
    package static func xid8s(_ values: [UInt64]) -> Self {
        array(.xid8Array, of: .xid8, values, width: 8) { $0.append(bigEndian: $1) }
    }

    /// A `timestamptz[]` of microseconds since 1970.
    package static func timestamps(_ values: [Int64]) -> Self {
        array(.timestamptzArray, of: .timestamptz, values, width: 8) { room, value in
            room.append(bigEndian: Timestamp.encoded(value))
        }
    }

    /// A `timestamptz[]` with NULLs.
    package static func optionalTimestamps(_ values: [Int64?]) -> Self {
        optionalArray(.timestamptzArray, of: .timestamptz, values, width: 8) { room, value in
            room.append(bigEndian: Timestamp.encoded(value))
        }
    }

    /// A `bigint[]` with NULLs.
    package static func optionalInt8s(_ values: [Int64?]) -> Self {
        optionalArray(.int8Array, of: .int8, values, width: 8) { room, value in
            room.append(bigEndian: value)
        }
    }

    /// A `uuid[]`.
    package static func uuids(_ values: [(UInt64, UInt64)]) -> Self {
        array(.uuidArray, of: .uuid, values, width: 16) { room, value in
            room.append(bigEndian: value.0)
            room.append(bigEndian: value.1)
        }
    }

    /// A `uuid[]` with NULLs.
    package static func optionalUUIDs(_ values: [(UInt64, UInt64)?]) -> Self {
        optionalArray(.uuidArray, of: .uuid, values, width: 16) { room, value in
            room.append(bigEndian: value.0)
            room.append(bigEndian: value.1)
        }
    }

    /// A `bytea[]`.
    package static func byteStrings(_ values: [[UInt8]]) -> Self {
        variable(.byteaArray, of: .bytea, values) { $0 }
    }

    /// A `text[]`.
    package static func texts(_ values: [String]) -> Self {
        variable(.textArray, of: .text, values) { Array($0.utf8) }
    }

    /// A `text[]` with NULLs.
    package static func optionalTexts(_ values: [String?]) -> Self {
        variable(.textArray, of: .text, values) { $0.map { Array($0.utf8) } }
    }

    private static func array<Element>(
        _ type: TypeID,
        of element: TypeID,
        _ values: [Element],
        width: Int32,
        _ write: (inout OutputSpan<UInt8>, Element) -> Void
    ) -> Self {
        var writer = ParameterWriter(
            capacity: ParameterWriter.headerWidth + values.count * (4 + Int(width))
        )
        writer.writeHeader(of: element, count: values.count)
        writer.write(values, width: 4 + Int(width)) { room, value in
            room.append(bigEndian: width)
            write(&room, value)
        }
        return Self(type, writer.bytes)
    }

    private static func optionalArray<Element>(
        _ type: TypeID,
        of element: TypeID,
        _ values: [Element?],
        width: Int32,
        _ write: (inout OutputSpan<UInt8>, Element) -> Void
    ) -> Self {
        var writer = ParameterWriter(
            capacity: ParameterWriter.headerWidth + values.count * (4 + Int(width))
        )
        writer.writeHeader(of: element, count: values.count)
        writer.write(values, width: 4 + Int(width)) { room, value in
            guard let value else { return room.append(bigEndian: ParameterWriter.null) }
            room.append(bigEndian: width)
            write(&room, value)
        }
        return Self(type, writer.bytes)
    }

    private static func variable<Element>(
        _ type: TypeID,
        of element: TypeID,
        _ values: [Element],
        _ encode: (Element) -> [UInt8]?
    ) -> Self {
        var writer = ParameterWriter(
            capacity: ParameterWriter.headerWidth + values.count * 128
        )
        writer.writeHeader(of: element, count: values.count)
        for value in values {
            guard let bytes = encode(value) else {
                writer.write(ParameterWriter.null)
                continue
            }
            writer.write(Int32(clamping: bytes.count))
            writer.write(bytes)
        }
        return Self(type, writer.bytes)
    }
}
