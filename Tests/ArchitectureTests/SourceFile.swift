import Foundation

/// A Swift file and what the rules look at.
struct SourceFile: Sendable, CustomStringConvertible {
    /// From the root of the checkout.
    let path: String
    let lines: [String]
    /// The same lines with comments and the insides of string literals blanked.
    let code: [String]
    /// The insides of the string literals, and the line each begins on, from 1.
    let literals: [Literal]

    struct Literal: Sendable {
        var line: Int
        var text: String
    }

    var description: String { path }
    var name: String { String(path.split(separator: "/").last ?? "") }

    init(path: String, text: String) {
        self.path = path
        var scanner = SourceScanner(text)
        scanner.run()
        lines = Self.split(text)
        code = Self.split(String(decoding: scanner.code, as: UTF8.self))
        literals = scanner.literals
    }

    private static func split(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// The modules it imports.
    var imports: Set<String> {
        Set(
            code.compactMap { line in
                let words = line.split(separator: " ").filter { !$0.hasPrefix("@") }
                guard let at = words.firstIndex(of: "import"), at + 1 < words.count,
                    words[..<at].allSatisfy({ Self.accessLevels.contains(String($0)) })
                else { return nil }
                // `import struct Module.Name` names the module second.
                let module = Self.kinds.contains(String(words[at + 1])) ? at + 2 : at + 1
                guard module < words.count else { return nil }
                return words[module].split(separator: ".").first.map(String.init)
            }
        )
    }

    private static let accessLevels: Set = [
        "public", "package", "internal", "fileprivate", "private",
    ]
    private static let kinds: Set = [
        "struct", "enum", "class", "protocol", "func", "let", "var", "typealias",
    ]
}
