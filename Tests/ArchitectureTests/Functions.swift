import Foundation

/// The function bodies of a file, found by their braces.
struct Functions {
    struct Body {
        /// Where the declaration begins, from 1.
        var line: Int
        /// From the declaration's first line to its closing brace.
        var lines: Int
    }

    private(set) var bodies: [Body] = []
    private let code: [String]

    /// - Parameter code: lines without comments and literals.
    init(_ code: [String]) {
        self.code = code
        for index in code.indices where Self.declares(code[index]) {
            if let end = end(of: index) {
                bodies.append(Body(line: index + 1, lines: end - index + 1))
            }
        }
    }

    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private", "static", "final", "override",
        "mutating", "nonmutating", "nonisolated", "consuming", "borrowing", "convenience",
        "required", "prefix", "postfix", "indirect", "@discardableResult", "@inlinable", "@inline",
        "@Test",
    ]

    private static func declares(_ line: String) -> Bool {
        guard line.contains("func ") || line.contains("init") else { return false }
        let words = line.split(separator: " ")
        guard let word = words.first(where: { !modifiers.contains($0) && !$0.hasPrefix("@") })
        else { return false }
        let isInit = ["init(", "init<", "init?("].contains { word.hasPrefix($0) }
        return word == "func" || word == "deinit" || isInit
    }

    /// The line of the closing brace; nil for a requirement, which has no body.
    private func end(of start: Int) -> Int? {
        var parentheses = 0
        var braces = 0
        for index in start..<code.count {
            if index > start, parentheses == 0, braces == 0, !continues(code[index]) { return nil }
            for byte in code[index].utf8 {
                switch byte {
                case UInt8(ascii: "("), UInt8(ascii: "["): parentheses += 1
                case UInt8(ascii: ")"), UInt8(ascii: "]"): parentheses -= 1
                case UInt8(ascii: "{"): braces += 1
                case UInt8(ascii: "}"):
                    braces -= 1
                    if braces == 0, parentheses == 0 { return index }
                    if braces < 0 { return nil }
                default: break
                }
            }
        }
        return nil
    }

    /// Whether a line goes on with a signature that the line before did not finish.
    private func continues(_ line: String) -> Bool {
        let text = line.trimmingCharacters(in: .whitespaces)
        return ["{", "async", "throws", "->", "where", ")"].contains { text.hasPrefix($0) }
    }
}
