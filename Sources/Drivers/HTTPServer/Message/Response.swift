/// An answer: status, header fields, content.
///
/// The server adds `Date`, `Content-Length` and `Connection`; no `Server` is ever sent. Fields are
/// kept as the bytes that go out, so an answer used as a template costs one copy.
package struct Response: Sendable {
    /// The status code.
    package var status: Status
    /// The content; a HEAD request gets its length alone.
    package var body: [UInt8]
    /// Whether the connection ends after this answer.
    package var closesConnection = false
    private(set) var fieldBytes: [UInt8] = []
    private(set) var isSendable = true

    private static let fieldBytesUsual = 320

    /// Makes an answer, with `Content-Type` when there is one.
    package init(_ status: Status, contentType: StaticString? = nil, body: [UInt8] = []) {
        self.status = status
        self.body = body
        // What most answers carry, so that no field makes the buffer grow.
        fieldBytes.reserveCapacity(Self.fieldBytesUsual)
        if let contentType { add("Content-Type", contentType) }
    }

    /// Makes an answer with fields as they go out, each with its line end.
    package init(_ status: Status, lines: StaticString, body: [UInt8]) {
        self.init(status, body: body)
        add(lines: lines)
    }

    /// 503 with `Retry-After: 1`: nothing was done, ask again.
    package static let overloaded: Self = {
        var response = Self(.serviceUnavailable)
        response.add("Retry-After", "1")
        response.add("Cache-Control", "no-store")
        return response
    }()

    /// Adds a field whose value is known when compiling.
    package mutating func add(_ name: StaticString, _ value: StaticString) {
        fieldBytes.append(name)
        fieldBytes.append(separator)
        fieldBytes.append(value)
        fieldBytes.append(lineEnd)
    }

    /// Adds fields as they go out, each with its line end.
    package mutating func add(lines: StaticString) { fieldBytes.append(lines) }

    /// Adds a field.
    ///
    /// A value with CR, LF or NUL turns the whole answer into an empty 500.
    package mutating func add(_ name: StaticString, _ value: String) {
        guard value.utf8.allSatisfy(Self.isClean) else {
            isSendable = false
            return
        }
        fieldBytes.append(name)
        fieldBytes.append(separator)
        fieldBytes.append(contentsOf: value.utf8)
        fieldBytes.append(lineEnd)
    }

    /// Adds a field that begins so, as it goes out, and of whose value `append` writes the rest:
    /// letters, digits, nothing that must be checked.
    package mutating func add(
        beginning: StaticString,
        plain append: (inout [UInt8]) -> Void
    ) {
        fieldBytes.append(beginning)
        append(&fieldBytes)
        fieldBytes.append(lineEnd)
    }

    // Other control bytes are as little ours to send as CR, LF and NUL.
    private static func isClean(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == 0x09
    }

    /// The values of the fields called `name`, in order, letters of any case; for tests and logs.
    package func values(of name: String) -> [String] {
        let wanted = Array(name.lowercased().utf8)
        return fieldBytes.split(separator: 0x0A).compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                line[..<colon].map(ASCII.lowercased) == wanted
            else { return nil }
            return String(decoding: line[(colon + 2)...].dropLast(), as: UTF8.self)
        }
    }
}

private let separator: StaticString = ": "
private let lineEnd: StaticString = "\r\n"
