/// What the fields of a head say about the message and the connection, gathered line by line.
struct FieldRules {
    private enum Coding { case absent, chunked, unknown }

    private(set) var host: Range<Int>?
    private var contentLength: Int?
    private var coding = Coding.absent
    private var codingCount = 0
    private(set) var expectsContinue = false
    private var expectsOther = false
    private var hasContentCoding = false
    private var saysClose = false
    private var saysKeepAlive = false
    private var seen: Single = []

    /// Fields that must not come twice (Security 7.1).
    private struct Single: OptionSet {
        let rawValue: UInt8
    }

    private static let single: [(StaticString, Single)] = [
        ("authorization", Single(rawValue: 1)), ("content-type", Single(rawValue: 2)),
        ("origin", Single(rawValue: 4)), ("sec-fetch-site", Single(rawValue: 8)),
        ("sec-fetch-mode", Single(rawValue: 16)), ("sec-fetch-dest", Single(rawValue: 32)),
        ("sec-fetch-user", Single(rawValue: 64)),
        ("sec-fetch-storage-access", Single(rawValue: 128)),
    ]

    /// Takes one field into account.
    mutating func note(_ field: FieldLine, in bytes: Span<UInt8>) throws(Status) {
        switch bytes[field.name.lowerBound] | 0x20 {
        case UInt8(ascii: "h") where ASCII.equal(bytes, field.name, "host"):
            guard host == nil else { throw .badRequest }
            host = field.value
        case UInt8(ascii: "c"): try noteContent(field, bytes)
        case UInt8(ascii: "t") where ASCII.equal(bytes, field.name, "transfer-encoding"):
            codingCount += 1
            coding = ASCII.equal(bytes, field.value, "chunked") ? .chunked : .unknown
        case UInt8(ascii: "e") where ASCII.equal(bytes, field.name, "expect"):
            if ASCII.equal(bytes, field.value, "100-continue") {
                expectsContinue = true
            } else {
                expectsOther = true
            }
        case UInt8(ascii: "a"), UInt8(ascii: "o"), UInt8(ascii: "s"):
            try noteSingle(field, bytes)
        default: break
        }
    }

    private mutating func noteContent(
        _ field: FieldLine,
        _ bytes: Span<UInt8>
    ) throws(Status) {
        if ASCII.equal(bytes, field.name, "content-length") {
            guard contentLength == nil else { throw .badRequest }
            contentLength = try Self.length(bytes, field.value)
        } else if ASCII.equal(bytes, field.name, "connection") {
            noteConnection(field, bytes)
        } else if ASCII.equal(bytes, field.name, "content-encoding") {
            hasContentCoding = true
        } else {
            try noteSingle(field, bytes)
        }
    }

    private mutating func noteSingle(
        _ field: FieldLine,
        _ bytes: Span<UInt8>
    ) throws(Status) {
        for (name, bit) in Self.single where ASCII.equal(bytes, field.name, name) {
            guard seen.insert(bit).inserted else { throw .badRequest }
        }
    }

    private mutating func noteConnection(_ field: FieldLine, _ bytes: Span<UInt8>) {
        var start = field.value.lowerBound
        for index in field.value.lowerBound...field.value.upperBound {
            let isEnd = index == field.value.upperBound
            guard isEnd || bytes[index] == UInt8(ascii: ",") else { continue }
            var option = start..<index
            while let byte = option.first.map({ bytes[$0] }), byte <= ASCII.space {
                option = option.dropFirst()
            }
            while let byte = option.last.map({ bytes[$0] }), byte <= ASCII.space {
                option = option.dropLast()
            }
            if ASCII.equal(bytes, option, "close") { saysClose = true }
            if ASCII.equal(bytes, option, "keep-alive") { saysKeepAlive = true }
            start = index + 1
        }
    }

    private static func length(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(Status) -> Int {
        guard 1...10 ~= range.count else { throw .badRequest }
        var length = 0
        for index in range {
            guard ASCII.isDigit(bytes[index]) else { throw .badRequest }
            length = length * 10 + Int(bytes[index] - 0x30)
        }
        return length
    }

    /// How long the body is, once all fields are seen.
    func framing(_ line: RequestLine) throws(Status) -> RequestHead.Framing {
        guard codingCount <= 1 else { throw .badRequest }
        if codingCount == 1, line.isVersion10 || contentLength != nil { throw .badRequest }
        guard coding != .unknown else { throw .notImplemented }
        let framing = coding == .chunked ? .chunked : RequestHead.Framing.length(contentLength ?? 0)
        guard framing == .length(0) || !line.method.forbidsBody else { throw .badRequest }
        guard !expectsOther else { throw .expectationFailed }
        guard !hasContentCoding else { throw .unsupportedMediaType }
        return framing
    }

    /// Whether the client wants another request after this one.
    func keepsAlive(isVersion10: Bool) -> Bool {
        !saysClose && (!isVersion10 || saysKeepAlive)
    }
}
