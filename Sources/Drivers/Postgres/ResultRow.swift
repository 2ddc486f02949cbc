internal import CPostgres

/// One row of an answer, in binary form; it lives only while the statement's reader runs.
///
/// Every reader throws `.unexpectedRow` with the column's number when the column is absent, null
/// or of another width. Columns count from 0.
@safe package struct ResultRow: ~Copyable {
    private let result: OpaquePointer
    private let index: Int32

    init(_ result: OpaquePointer, _ index: Int32) {
        unsafe self.result = result
        self.index = index
    }

    /// True for NULL and for a column that is not there.
    package func isNull(_ column: Int) -> Bool {
        guard let column = Int32(exactly: column), column >= 0,
            unsafe column < PQnfields(result)
        else { return true }
        return unsafe PQgetisnull(result, index, column) != 0
    }

    /// A `bytea`.
    package func bytes(_ column: Int) throws(PostgresError) -> [UInt8] {
        guard !isNull(column), let number = Int32(exactly: column),
            let start = unsafe PQgetvalue(result, index, number)
        else { throw .unexpectedRow(column: column) }
        let count = Int(unsafe PQgetlength(result, index, number))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A `text`, `name` or anything whose binary form is its text.
    package func text(_ column: Int) throws(PostgresError) -> String {
        String(decoding: try bytes(column), as: UTF8.self)
    }

    /// A boolean.
    package func bool(_ column: Int) throws(PostgresError) -> Bool {
        try integer(column, as: UInt8.self) != 0
    }

    /// A `smallint`.
    package func int2(_ column: Int) throws(PostgresError) -> Int16 { try integer(column) }

    /// An `integer`.
    package func int4(_ column: Int) throws(PostgresError) -> Int32 { try integer(column) }

    /// A `bigint`.
    package func int8(_ column: Int) throws(PostgresError) -> Int64 { try integer(column) }

    /// An `xid8`.
    package func xid8(_ column: Int) throws(PostgresError) -> UInt64 { try integer(column) }

    /// A `timestamptz` in microseconds since 1970.
    package func timestamp(_ column: Int) throws(PostgresError) -> Int64 {
        Timestamp.decoded(try integer(column))
    }

    /// A `bigint[]` of one dimension, or empty.
    package func int8s(_ column: Int) throws(PostgresError) -> [Int64] {
        let bytes = try bytes(column)
        func number<Number: FixedWidthInteger>(
            at offset: Int,
            as type: Number.Type
        ) throws(PostgresError) -> Number {
            let width = MemoryLayout<Number>.size
            guard offset + width <= bytes.count else { throw .unexpectedRow(column: column) }
            return bytes[offset..<(offset + width)].reduce(0) { $0 << 8 | Number($1) }
        }
        // Dimensions, whether there are NULLs, the type; then count and first index of each.
        let dimensions = try number(at: 0, as: Int32.self)
        if dimensions == 0 { return [] }
        let count = try number(at: 12, as: Int32.self)
        let (start, step) = (20, 4 + MemoryLayout<Int64>.size)
        guard dimensions == 1, count >= 0, bytes.count == start + Int(count) * step else {
            throw .unexpectedRow(column: column)
        }
        var values: [Int64] = []
        values.reserveCapacity(Int(count))
        for item in 0..<Int(count) {
            let offset = start + item * step
            guard try number(at: offset, as: Int32.self) == 8 else {
                throw .unexpectedRow(column: column)
            }
            values.append(try number(at: offset + 4, as: Int64.self))
        }
        return values
    }

    /// A `uuid`, as its big-endian halves.
    package func uuid(_ column: Int) throws(PostgresError) -> (UInt64, UInt64) {
        guard !isNull(column), let number = Int32(exactly: column),
            unsafe PQgetlength(result, index, number) == 16,
            let start = unsafe UnsafeRawPointer(PQgetvalue(result, index, number))
        else { throw .unexpectedRow(column: column) }
        return unsafe (
            UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)),
            UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
    }

    private func integer<Number: FixedWidthInteger>(
        _ column: Int,
        as type: Number.Type = Number.self
    ) throws(PostgresError) -> Number where Number: BitwiseCopyable {
        guard !isNull(column), let number = Int32(exactly: column),
            unsafe Int(PQgetlength(result, index, number)) == MemoryLayout<Number>.size,
            let start = unsafe UnsafeRawPointer(PQgetvalue(result, index, number))
        else { throw .unexpectedRow(column: column) }
        return unsafe Number(bigEndian: start.loadUnaligned(as: Number.self))
    }
}

extension ResultRow {
    /// A `uuid`, nil for NULL.
    package func optionalUUID(_ column: Int) throws(PostgresError) -> (UInt64, UInt64)? {
        isNull(column) ? nil : try uuid(column)
    }

    /// A `bytea`, nil for NULL.
    package func optionalBytes(_ column: Int) throws(PostgresError) -> [UInt8]? {
        isNull(column) ? nil : try bytes(column)
    }

    /// A `text`, nil for NULL.
    package func optionalText(_ column: Int) throws(PostgresError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    /// A `bigint`, nil for NULL.
    package func optionalInt8(_ column: Int) throws(PostgresError) -> Int64? {
        isNull(column) ? nil : try int8(column)
    }

    /// A `timestamptz` in microseconds since 1970, nil for NULL.
    package func optionalTimestamp(_ column: Int) throws(PostgresError) -> Int64? {
        isNull(column) ? nil : try timestamp(column)
    }
}
