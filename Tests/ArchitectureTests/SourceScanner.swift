/// Tells code from comments and string literals: enough of Swift's lexer for the rules.
struct SourceScanner {
    /// The text with comments and the insides of literals blanked; line breaks stay.
    private(set) var code: [UInt8] = []
    private(set) var literals: [SourceFile.Literal] = []

    private let bytes: [UInt8]
    private var at = 0
    private var line = 1

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func run() {
        while at < bytes.count {
            if starts("//") {
                skipToLineEnd()
            } else if starts("/*") {
                skipBlock()
            } else if starts("#\"") || starts("##\"") || starts("\"") {
                literal()
            } else {
                keep()
            }
        }
    }

    private func starts(_ text: String) -> Bool { bytes[at...].starts(with: text.utf8) }

    private mutating func keep() {
        if bytes[at] == UInt8(ascii: "\n") { line += 1 }
        code.append(bytes[at])
        at += 1
    }

    private mutating func blank() {
        if bytes[at] == UInt8(ascii: "\n") {
            keep()
        } else {
            code.append(UInt8(ascii: " "))
            at += 1
        }
    }

    private mutating func skipToLineEnd() {
        while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { blank() }
    }

    private mutating func skipBlock() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                blank()
            } else if starts("*/") {
                depth -= 1
                blank()
            }
            if at < bytes.count { blank() }
        } while depth > 0 && at < bytes.count
    }

    /// A string literal with its interpolations, which count as text.
    private mutating func literal() {
        let begin = line
        var hashes = 0
        while bytes[at] == UInt8(ascii: "#") {
            hashes += 1
            keep()
        }
        let quote = starts("\"\"\"") ? "\"\"\"" : "\""
        let end = quote + String(repeating: "#", count: hashes)
        let escape = "\\" + String(repeating: "#", count: hashes)
        for _ in quote.utf8 { keep() }
        var text: [UInt8] = []
        while at < bytes.count, !starts(end) {
            if starts(escape + "(") {
                text += interpolation(escape.utf8.count)
            } else {
                let length = starts(escape) ? escape.utf8.count + 1 : 1
                for _ in 0..<length where at < bytes.count {
                    text.append(bytes[at])
                    blank()
                }
            }
            if quote.utf8.count == 1, at < bytes.count, bytes[at] == UInt8(ascii: "\n") { break }
        }
        for _ in end.utf8 where at < bytes.count { keep() }
        literals.append(.init(line: begin, text: String(decoding: text, as: UTF8.self)))
    }

    private mutating func interpolation(_ escapeLength: Int) -> [UInt8] {
        let begin = at
        for _ in 0..<escapeLength { blank() }
        var depth = 0
        repeat {
            if bytes[at] == UInt8(ascii: "(") { depth += 1 }
            if bytes[at] == UInt8(ascii: ")") { depth -= 1 }
            blank()
        } while depth > 0 && at < bytes.count
        return Array(bytes[begin..<at])
    }
}
