import Postgres
import Runtime
import TestSupport
import Testing

/// A call of `es.append` put together by hand: what the store would never send, too.
struct RawAppend: Sendable {
    typealias ID = (UInt64, UInt64)

    struct Row: Sendable {
        var command: Int32
        var stream: ID
        var expected: Int32
        var version: Int32
        /// Found again in `grant_id`.
        var tag: ID?
        /// How long ago it was decided, in ms.
        var ageMilliseconds: Int64 = 0
    }

    struct Guard: Sendable {
        var command: Int32
        var stream: ID
        var version: Int32
    }

    var rows: [Row] = []
    var guards: [Guard] = []
    /// False leaves `p_guardable` empty, which no caller may do.
    var takesLocks = true
    /// Bytes of payload.
    var payload: [UInt8] = Array("{}".utf8)
    var type: Int16 = 1

    static let sql = Array(
        """
        SELECT refused FROM es.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                                      $15, $16, $17, $18, $19) AS refused
        """.utf8
    )

    /// The refused ordinals come back.
    var statement: Statement<Int32> {
        let count = rows.count
        return Statement(
            Self.sql,
            [
                .int4s(rows.map(\.command)), .int2s(Array(repeating: 1, count: count)),
                .uuids(rows.map(\.stream)), .int4s(rows.map(\.expected)),
                .int4s(rows.map(\.version)), .int2s(Array(repeating: type, count: count)),
                .timestamps(rows.map { WallTime.nowMicroseconds() - $0.ageMilliseconds * 1000 }),
                .uuids(rows.map { $0.tag ?? $0.stream }),
                .optionalUUIDs(Array(repeating: nil, count: count)),
                .optionalUUIDs(Array(repeating: nil, count: count)),
                .optionalUUIDs(Array(repeating: nil, count: count)),
                .optionalUUIDs(rows.map(\.tag)),
                .byteStrings(Array(repeating: Array(repeating: 7, count: 32), count: count)),
                .byteStrings(Array(repeating: payload, count: count)),
                .byteStrings(Array(repeating: Array("{}".utf8), count: count)),
                .uuids(takesLocks ? rows.map(\.stream) : []), .int4s(guards.map(\.command)),
                .uuids(guards.map(\.stream)), .int4s(guards.map(\.version)),
            ]
        ) { row throws(PostgresError) in try row.int4(0) }
    }

    /// New streams at version 1, each its own command.
    static func opening(_ streams: [ID]) -> RawAppend {
        RawAppend(
            rows: streams.enumerated().map { index, stream in
                Row(command: Int32(index), stream: stream, expected: 0, version: 1, tag: nil)
            }
        )
    }

    /// The next version of one stream.
    static func next(of stream: ID, after version: Int32) -> RawAppend {
        RawAppend(
            rows: [Row(command: 0, stream: stream, expected: version, version: version + 1)]
        )
    }
}

/// Stream ids of class T, born now, and numbers to draw from.
struct IDSource {
    private var random = SystemRandomNumberGenerator()

    mutating func next() -> RawAppend.ID {
        let milliseconds = UInt64(WallTime.nowMicroseconds() / 1000)
        let high = milliseconds << 16 | 0x7000 | (random.next() & 0xFFF)
        return (high, 0x8000_0000_0000_0000 | random.next() >> 2)
    }

    mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}

extension Connection {
    /// Appends by hand; as a transaction of its own unless one is open.
    func append(_ call: RawAppend) async throws(PostgresError) -> Set<Int32> {
        Set(try await execute(call.statement, deadline: .soon))
    }

    func begin() async throws(PostgresError) {
        try await run(script: Array("BEGIN".utf8), deadline: .soon)
    }

    func commit() async throws(PostgresError) {
        try await run(script: Array("COMMIT".utf8), deadline: .soon)
    }

    /// The one number a text asks for.
    func count(_ sql: String) async throws -> Int64 {
        try #require(try await query(.number(sql), deadline: .soon).first)
    }
}
