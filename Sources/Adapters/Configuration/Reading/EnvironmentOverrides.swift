internal import YAML

/// Puts values of environment variables into a tree.
struct EnvironmentOverrides {
    private(set) var root: YAMLNode
    /// Path of a value → the variable it came from.
    private(set) var names: [String: String] = [:]
    private(set) var findings: [Finding] = []

    init(_ root: YAMLNode) { self.root = root }

    /// Sets the value `name` speaks of; refuses a name that leads to no single value.
    mutating func apply(_ name: String, _ value: String) {
        let parts = name.dropFirst(SettingsDocument.variablePrefix.count)
            .split(separator: "_", omittingEmptySubsequences: false)
        let keys = Self.joined(parts)
        guard !keys.isEmpty, keys.allSatisfy({ !$0.isEmpty }) else {
            refuse(name, "", "must name a key: CHANCERY__SECTION__KEY")
            return
        }
        var path = ""
        if let problem = Self.set(value, at: keys[...], in: &root, path: &path) {
            refuse(name, path, problem)
        } else {
            names[path] = name
        }
    }

    /// Refuses a name that sets nothing and looks as if it did.
    mutating func refuseNear(_ name: String) {
        let form = "two underscores stand before and after a section's name"
        refuse(name, "", "sets nothing: \(form), CHANCERY__SECTION__KEY")
    }

    private mutating func refuse(_ name: String, _ path: String, _ message: String) {
        findings.append(Finding(path, .environment(name), message))
    }

    /// Splits at two underscores: one belongs to a key, as in `PASSWORD_FILE`.
    private static func joined(_ parts: [Substring]) -> [String] {
        var keys: [String] = []
        var current: [Substring] = []
        for part in parts {
            if part.isEmpty {
                keys.append(current.joined(separator: "_"))
                current = []
            } else {
                current.append(part)
            }
        }
        keys.append(current.joined(separator: "_"))
        return keys.map { $0.lowercased() }
    }

    /// Answers what is wrong, or nil when the value is set.
    private static func set(
        _ value: String,
        at keys: ArraySlice<String>,
        in node: inout YAMLNode,
        path: inout String
    ) -> String? {
        guard let key = keys.first else {
            guard case .scalar = node.content else {
                return "holds more than one value; name the value itself"
            }
            node.content = .scalar(text: value, isPlain: true)
            return nil
        }
        switch node.content {
        case .scalar: return "is a single value; nothing is below it"
        case .sequence(var elements):
            guard key.utf8.count <= 4, let index = Int(key), elements.indices.contains(index) else {
                return "is a list of \(elements.count); `\(key)` is none of its elements"
            }
            path += "[\(index)]"
            let problem = set(value, at: keys.dropFirst(), in: &elements[index], path: &path)
            node.content = .sequence(elements)
            return problem
        case .mapping(var entries):
            path = path.isEmpty ? key : "\(path).\(key)"
            if !entries.contains(where: { $0.key == key }) {
                let empty: YAMLNode.Content =
                    keys.count == 1 ? .scalar(text: "", isPlain: true) : .mapping([])
                let child = YAMLNode(empty, at: node.place)
                entries.append(YAMLNode.Entry(key: key, keyPlace: node.place, value: child))
            }
            guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
            let problem = set(value, at: keys.dropFirst(), in: &entries[index].value, path: &path)
            node.content = .mapping(entries)
            return problem
        }
    }
}
