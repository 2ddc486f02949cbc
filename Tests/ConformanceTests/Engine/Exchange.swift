import Foundation

/// A request, and what its answer must be.
struct Exchange: Sendable {
    /// Of the request line, from 1.
    var line: Int
    /// The comment before it: what it is for.
    var sentence = ""
    var method: String
    var target: Template
    var headers: [(name: String, value: Template)]
    var body: Template
    var status: Int
    var expectedHeaders: [(name: String, value: Template)]
    /// Names in lower case of headers that must not be there.
    var absentHeaders: [String]
    /// A subset of the JSON body, still with `{{…}}` in its strings.
    var json: String?
    /// Texts that the body contains.
    var contained: [Template]

    /// Where it is, for whoever reads a failure.
    var place: String { sentence.isEmpty ? "line \(line)" : "line \(line) (\(sentence))" }
}

/// Reads one exchange from the lines of a file.
struct ExchangeReader {
    private(set) var rest: ArraySlice<String>
    private var line: Int

    init(_ lines: ArraySlice<String>, line: Int) {
        rest = lines
        self.line = line
    }

    mutating func read() throws(Script.Mistake) -> Exchange {
        let first = line
        let words = next().split(separator: " ")
        guard words.count == 2 || words.count == 1, words[0].allSatisfy(\.isUppercase) else {
            throw .init(line: first, why: "not a request line: METHOD /path")
        }
        let headers = try readHeaders()
        var body = ""
        while let text = rest.first, !text.hasPrefix("=>") {
            // A line that begins with two blanks goes on with the one before.
            if !text.isEmpty { body += text.hasPrefix("  ") ? String(text.dropFirst(2)) : text }
            _ = next()
        }
        guard !rest.isEmpty else { throw .init(line: first, why: "no answer is expected") }
        let status = Int(next().dropFirst(2).trimmingCharacters(in: .whitespaces))
        guard let status else { throw .init(line: line - 1, why: "no status behind =>") }
        var exchange = Exchange(
            line: first,
            method: String(words[0]),
            target: Template(words.count > 1 ? String(words[1]) : "/"),
            headers: headers,
            body: Template(body),
            status: status,
            expectedHeaders: [],
            absentHeaders: [],
            json: nil,
            contained: []
        )
        try readExpectations(into: &exchange)
        return exchange
    }

    private mutating func next() -> String {
        line += 1
        return rest.removeFirst()
    }

    private mutating func readHeaders() throws(Script.Mistake) -> [(name: String, value: Template)]
    {
        var headers: [(name: String, value: Template)] = []
        while let text = rest.first, !text.isEmpty, !text.hasPrefix("=>") {
            guard let header = Self.header(text) else {
                throw .init(line: line, why: "not a header: \(text)")
            }
            headers.append(header)
            _ = next()
        }
        return headers
    }

    private mutating func readExpectations(into exchange: inout Exchange) throws(Script.Mistake) {
        while let text = rest.first, !text.isEmpty, !text.hasPrefix("#") {
            if text.hasPrefix("~ ") {
                exchange.contained.append(Template(String(text.dropFirst(2))))
            } else if text.hasPrefix("!") {
                exchange.absentHeaders.append(text.dropFirst().lowercased())
            } else if text.hasPrefix("{") || text.hasPrefix("[") || exchange.json != nil {
                exchange.json = (exchange.json ?? "") + text + "\n"
            } else if let header = Self.header(text) {
                exchange.expectedHeaders.append((header.name.lowercased(), header.value))
            } else {
                throw .init(line: line, why: "neither a header, JSON, ~ text nor !Header: \(text)")
            }
            _ = next()
        }
    }

    private static func header(_ text: String) -> (name: String, value: Template)? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let name = text[..<colon]
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" }) else {
            return nil
        }
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        return (String(name), Template(String(value)))
    }
}
