/// Parses the head of one request, however its bytes arrive (RFC 9112 §2 to §6, Security 7.1).
///
/// What it answers depends on the bytes alone, not on where they were split: it refuses at the
/// first byte no valid head could have there, or at the end of the line that is wrong.
struct HeadParser {
    static let headBytesMax = 16_384
    static let fieldsMax = 64

    enum Step {
        /// More bytes are needed.
        case incomplete
        /// A head, and how many bytes it took.
        case complete(RequestHead, length: Int)
    }

    private var position = 0
    private var lineStart = 0
    private var skippedEmptyLine = false
    private var line: RequestLine?
    private var rules = FieldRules()
    private var entries: [Fields.Entry] = []

    /// Looks at what arrived since the last call; `bytes` begins with the head's first byte.
    mutating func parse(_ bytes: Span<UInt8>) throws(Status) -> Step {
        while position < bound(bytes.count) {
            let byte = bytes[position]
            if byte >= 0x20 && byte != 0x7F || byte == ASCII.tab {
                position += 1
                continue
            }
            guard byte == ASCII.carriageReturn else { throw .badRequest }
            guard position + 1 < min(bytes.count, Self.headBytesMax) else { break }
            guard bytes[position + 1] == ASCII.lineFeed else { throw .badRequest }
            let text = lineStart..<position
            position += 2
            lineStart = position
            if let head = try endLine(bytes, text) {
                return .complete(head, length: position)
            }
        }
        try checkLength(bytes.count)
        return .incomplete
    }

    /// How far to look: a first line that is too long is refused at the same byte, in one piece or
    /// in many.
    private func bound(_ count: Int) -> Int {
        let limit = line == nil ? lineStart + RequestLine.bytesMax + 1 : Self.headBytesMax
        return min(count, limit)
    }

    private func checkLength(_ count: Int) throws(Status) {
        if line == nil {
            // The byte at the bound may be the CR of the longest line allowed.
            if position - lineStart > RequestLine.bytesMax { throw .uriTooLong }
        } else if count >= Self.headBytesMax {
            throw .headerFieldsTooLarge
        }
    }

    private mutating func endLine(
        _ bytes: Span<UInt8>,
        _ text: Range<Int>
    ) throws(Status) -> RequestHead? {
        if line == nil {  // Not bound: it would be copied at every line.
            if text.isEmpty {
                guard !skippedEmptyLine else { throw .badRequest }
                skippedEmptyLine = true
            } else {
                line = try RequestLine(bytes, text)
                entries.reserveCapacity(16)
            }
            return nil
        }
        if text.isEmpty { return try finish(bytes) }
        let field = try FieldLine(bytes, text)
        guard entries.count < Self.fieldsMax else { throw .headerFieldsTooLarge }
        try rules.note(field, in: bytes)
        entries.append(
            Fields.Entry(
                nameStart: UInt16(field.name.lowerBound),
                nameCount: UInt16(field.name.count),
                valueStart: UInt16(field.value.lowerBound),
                valueCount: UInt16(field.value.count)
            )
        )
        return nil
    }

    /// Gives away what was gathered: a parser has one head to give.
    private mutating func finish(_ bytes: Span<UInt8>) throws(Status) -> RequestHead {
        guard let line = self.line.take(), let host = rules.host,
            let name = HostField.name(bytes, host)
        else { throw .badRequest }
        if let authority = line.target.authority {
            let said = Array(copying: bytes, host)
            guard authority.map(ASCII.lowercased) == said.map(ASCII.lowercased) else {
                throw .badRequest
            }
        }
        let framing = try rules.framing(line)
        let entries = exchange(&self.entries, with: [])
        return RequestHead(
            method: line.method,
            path: line.target.path,
            query: line.target.query,
            host: String(lowercasing: bytes, name),
            fields: Fields(bytes: Array(copying: bytes, 0..<position), entries: entries),
            framing: framing,
            isVersion10: line.isVersion10,
            keepsAlive: rules.keepsAlive(isVersion10: line.isVersion10),
            expectsContinue: rules.expectsContinue && !line.isVersion10
        )
    }
}
