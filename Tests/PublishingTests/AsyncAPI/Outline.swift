import EventFormat
import OAuth

/// A document as YAML has it, its keys in the order they were given.
indirect enum Outline: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case text(String)
    case number(Int64)
    case list([Outline])
    case map([(key: String, value: Outline)])

    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int64) { self = .number(value) }
    init(arrayLiteral elements: Outline...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, Outline)...) {
        self = .map(elements.map { (key: $0.0, value: $0.1) })
    }

    /// The value of a key; nil when there is none.
    subscript(key: String) -> Outline? {
        guard case .map(let entries) = self else { return nil }
        return entries.first { $0.key == key }?.value
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var keys: [String] { if case .map(let entries) = self { entries.map(\.key) } else { [] } }
    var texts: [String] {
        if case .list(let elements) = self { elements.compactMap(\.text) } else { [] }
    }

    /// This map and more; what has no entry is left out.
    func adding(_ key: String, _ value: Outline?) -> Outline {
        guard case .map(let entries) = self, let value else { return self }
        return .map(entries + [(key: key, value: value)])
    }

    /// The document's text.
    var yaml: String { lines.joined(separator: "\n") + "\n" }

    private var lines: [String] {
        switch self {
        case .map(let entries) where !entries.isEmpty:
            entries.flatMap { entry -> [String] in
                let key = Self.scalar(entry.key)
                if let flow = entry.value.flow { return ["\(key): \(flow)"] }
                return ["\(key):"] + entry.value.lines.map { "  \($0)" }
            }
        case .list(let elements) where !elements.isEmpty:
            elements.flatMap { element in
                let lines = element.flow.map { [$0] } ?? element.lines
                return lines.enumerated().map { ($0.offset == 0 ? "- " : "  ") + $0.element }
            }
        case .text, .number, .map, .list: [flow ?? ""]
        }
    }

    /// On one line, when it is simple enough.
    private var flow: String? {
        switch self {
        case .text(let text): return Self.scalar(text)
        case .number(let number): return "\(number)"
        case .map(let entries): return entries.isEmpty ? "{}" : nil
        case .list(let elements):
            let scalars = elements.compactMap { element -> String? in
                if case .map = element { nil } else { element.flow }
            }
            let text = "[\(scalars.joined(separator: ", "))]"
            return scalars.count == elements.count && text.utf8.count <= 80 ? text : nil
        }
    }

    /// Plain where nothing in it means something to YAML, else as JSON has it.
    private static func scalar(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { plain.contains($0) }
            && text.utf8.first.map { letters.contains($0) } ?? false
            && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text)
        return isPlain ? text : String(decoding: JSONWriter.write(.string(text)), as: UTF8.self)
    }

    private static let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$".utf8)
    private static let plain = letters.union("0123456789_-./".utf8)
}
