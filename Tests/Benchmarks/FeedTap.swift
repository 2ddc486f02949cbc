import Runtime

/// Notes when each item arrives at a reader of `/revocations` with one long poll open.
final class FeedTap {
    /// Microseconds since 1970, by log index.
    private(set) var arrivals: [Int64: Int64] = [:]
    private(set) var failure: String?
    private var connection: ClientConnection?
    private let token: String
    private var cursor = ""

    init(token: [UInt8], on loop: Loop) throws {
        self.token = String(decoding: token, as: UTF8.self)
        connection = try ClientConnection(
            on: loop,
            to: .loopback(port: Stack.projectorPort)
        ) { [unowned self] answer, _ in received(answer) }
        ask()
    }

    /// Whether it has come to the feed's end once.
    var isReading: Bool { !cursor.isEmpty }

    func forget() { arrivals = [:] }

    func stop() {
        connection?.close()
        connection = nil
    }

    private func ask() {
        let after = cursor.isEmpty ? "" : "&wait=25&after=\(cursor)"
        connection?.send(
            Wire.get(
                "/revocations?limit=1000\(after)",
                authorization: "Bearer \(token)",
                port: Stack.projectorPort
            )
        )
    }

    private static let indexName = Array("\"log_index\":".utf8)

    private func received(_ answer: LoadGenerator.Answer) {
        let now = WallTime.nowMicroseconds()
        guard answer.status == 200, let next = Wire.member("next", of: answer.body) else {
            failure = String(decoding: answer.body.prefix(200), as: UTF8.self)
            return stop()
        }
        // The watermark has a number too, after the items.
        let items = answer.body.prefix(
            (ClientConnection.find(Array("],\"next\"".utf8), in: answer.body)
                ?? answer.body.startIndex) - answer.body.startIndex
        )
        var rest = items
        while let place = ClientConnection.find(Self.indexName, in: rest) {
            rest = rest[(place + Self.indexName.count)...]
            let index = rest.prefix { 0x30...0x39 ~= $0 }
                .reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
            arrivals[index] = arrivals[index] ?? now
        }
        cursor = String(decoding: next, as: UTF8.self)
        ask()
    }
}
