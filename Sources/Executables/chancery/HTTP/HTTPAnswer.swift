import OAuth

/// What a server answered.
struct HTTPAnswer: Sendable {
    var status: Int
    /// In their order; names in lower case.
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    /// The first header of a name in lower case.
    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON; nil when it is none.
    var json: JSON? { try? JSONReader.read(body, numbers: .any) }

    /// Reads a whole answer as it came over a connection that was closed behind it (RFC 9112).
    init?(parsing bytes: [UInt8]) {
        let end: [UInt8] = [13, 10, 13, 10]
        guard let split = bytes.firstRange(of: end) else { return nil }
        let head = String(decoding: bytes[..<split.lowerBound], as: UTF8.self)
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", maxSplits: 2)
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            return nil
        }
        self.status = status
        headers = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (line[..<colon].lowercased(), String(value))
        }
        body = Array(bytes[split.upperBound...])
        if self["transfer-encoding"] == "chunked" {
            guard let whole = Self.unchunked(body) else { return nil }
            body = whole
        } else if let text = self["content-length"], let length = Int(text) {
            guard 0...body.count ~= length else { return nil }
            body.removeSubrange(length...)
        }
    }

    private static func unchunked(_ bytes: [UInt8]) -> [UInt8]? {
        var whole: [UInt8] = []
        var rest = bytes[...]
        while let line = rest.firstRange(of: [13, 10]) {
            let digits = rest[..<line.lowerBound].prefix { $0 != UInt8(ascii: ";") }
            guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else {
                return nil
            }
            rest = rest[line.upperBound...]
            guard size > 0 else { return whole }
            guard size <= rest.count - 2 else { return nil }
            whole += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        return nil
    }
}
