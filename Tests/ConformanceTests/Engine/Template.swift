import Foundation

/// Text with `{{…}}` in it: filled in when it is sent, matched when it is expected.
///
/// In what is expected, `{{*}}` stands for anything and `{{> name}}` for anything, kept as `name`.
struct Template: Sendable {
    enum Part: Hashable, Sendable {
        case text(String)
        case variable(String)
        case anything
        case capture(String)
    }

    struct Unknown: Error, CustomStringConvertible {
        var name: String
        var description: String { "{{\(name)}} has no value" }
    }

    let parts: [Part]

    init(parts: [Part]) { self.parts = parts }

    init(_ text: String) {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.range(of: "{{"),
            let close = rest[open.upperBound...].range(of: "}}")
        {
            if open.lowerBound > rest.startIndex {
                parts.append(.text(String(rest[..<open.lowerBound])))
            }
            let name = rest[open.upperBound..<close.lowerBound].trimmingCharacters(in: .whitespaces)
            if name == "*" {
                parts.append(.anything)
            } else if name.hasPrefix(">") {
                parts.append(.capture(name.dropFirst().trimmingCharacters(in: .whitespaces)))
            } else {
                parts.append(.variable(name))
            }
            rest = rest[close.upperBound...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// The text with its variables filled in.
    func filled(_ values: [String: String]) throws -> String {
        try parts.map { part in
            switch part {
            case .text(let text): return text
            case .variable(let name):
                guard let value = values[name] else { throw Unknown(name: name) }
                return value
            case .anything: throw Unknown(name: "*")
            case .capture(let name): throw Unknown(name: "> \(name)")
            }
        }.joined()
    }

    /// Whether `text` is what this expects, and what it captured.
    ///
    /// Each wildcard takes as little as it can.
    func match(_ text: String, _ values: [String: String]) throws -> [String: String]? {
        var found: [String: String] = [:]
        return try Self.match(parts[...], text[...], values, &found) ? found : nil
    }

    private static func match(
        _ parts: ArraySlice<Part>,
        _ text: Substring,
        _ values: [String: String],
        _ found: inout [String: String]
    ) throws -> Bool {
        guard let part = parts.first else { return text.isEmpty }
        let rest = parts.dropFirst()
        switch part {
        case .text(let literal):
            guard text.hasPrefix(literal) else { return false }
            return try match(rest, text.dropFirst(literal.count), values, &found)
        case .variable(let name):
            guard let value = values[name] ?? found[name] else { throw Unknown(name: name) }
            guard text.hasPrefix(value) else { return false }
            return try match(rest, text.dropFirst(value.count), values, &found)
        case .anything, .capture:
            var end = text.startIndex
            while true {
                if try match(rest, text[end...], values, &found) {
                    if case .capture(let name) = part { found[name] = String(text[..<end]) }
                    return true
                }
                guard end < text.endIndex else { return false }
                end = text.index(after: end)
            }
        }
    }
}
