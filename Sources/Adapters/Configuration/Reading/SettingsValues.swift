internal import YAML

/// Every value of a settings document by its path, to tell what a later reading of it changed.
package struct SettingsValues: Hashable, Sendable {
    private var texts: [String: String] = [:]

    init(_ root: YAMLNode) {
        if case .mapping(let entries) = root.content { add(entries, below: "") }
    }

    /// The paths whose values differ, in order; a list is one value.
    package func changes(since earlier: Self) -> [String] {
        Set(texts.keys).union(earlier.texts.keys).filter { texts[$0] != earlier.texts[$0] }.sorted()
    }

    private mutating func add(_ entries: [YAMLNode.Entry], below path: String) {
        for entry in entries {
            let place = path.isEmpty ? entry.key : "\(path).\(entry.key)"
            switch entry.value.content {
            case .mapping(let inner): add(inner, below: place)
            case .scalar(let text, _): texts[place] = text
            case .sequence(let elements): texts[place] = "\(elements.map(Self.text))"
            }
        }
    }

    /// Where the value stands in the document is no part of it.
    private static func text(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let text, _): text
        case .sequence(let elements): "\(elements.map(text))"
        case .mapping(let entries):
            "\(entries.map { [$0.key, text($0.value)] }.sorted { $0[0] < $1[0] })"
        }
    }
}
