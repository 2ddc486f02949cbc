package import Foundation

/// An HTTP answer as it came.
package struct WireAnswer: Sendable {
    package let status: Int
    /// In their order, names in lower case.
    package let headers: [(name: String, value: String)]
    package let body: Data

    /// The first header of a name in lower case.
    package subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The member of a JSON object, when the body is one.
    package func member(_ name: String) -> String? {
        let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
        return object?[name] as? String
    }

    /// Reads a whole answer; nil when it is none or a part is missing.
    package init?(parsing bytes: Data) {
        guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n")
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
        let rest = bytes[end.upperBound...]
        if headers.contains(where: { $0.name == "transfer-encoding" }) {
            guard let whole = Self.unchunked(rest) else { return nil }
            body = whole
        } else if let text = headers.first(where: { $0.name == "content-length" })?.value,
            let length = Int(text)
        {
            // An answer to HEAD names a length and carries nothing.
            guard rest.count == length || rest.isEmpty else { return nil }
            body = Data(rest)
        } else {
            body = Data(rest)
        }
    }

    private static func unchunked(_ bytes: Data) -> Data? {
        var whole = Data()
        var rest = bytes
        while let line = rest.firstRange(of: Data("\r\n".utf8)) {
            let digits = String(decoding: rest[rest.startIndex..<line.lowerBound], as: UTF8.self)
            guard let size = Int(digits, radix: 16) else { return nil }
            rest = rest[line.upperBound...]
            guard size > 0 else { return whole }
            guard rest.count >= size + 2 else { return nil }
            whole += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        return nil
    }
}
