internal import YAML

/// A document while it is read: what was asked for and what was wrong.
///
/// Belongs to one thread, for as long as `Settings` or a project document is being read.
final class DocumentReader {
    let root: YAMLNode
    let isInsecureDev: Bool
    private(set) var findings: [Finding] = []
    private var overrides: [String: String] = [:]
    private var asked: Set<String> = []
    /// The last names of `asked` by what stands before them: a document may have a thousand clients
    /// with an unknown key each.
    private var siblings: [String: [String]] = [:]
    private var ignored: Set<String> = []
    private var reported: Set<String> = []

    /// Reads `root`; `overrides` names the variable that set the value at a path.
    init(_ root: YAMLNode, overrides: [String: String] = [:], isInsecureDev: Bool = false) {
        self.root = root
        self.overrides = overrides
        self.isInsecureDev = isInsecureDev
    }

    /// The document as a section.
    var section: Section { Section(self, root, path: "") }

    /// Notes that `path` is a key this program knows.
    func ask(_ path: String) {
        guard asked.insert(path).inserted else { return }
        let (parent, name) = Self.parts(path)
        guard !Self.looksNested(name) else { return }
        siblings[parent, default: []].append(name)
    }

    /// Notes that what stands at `path` and below is another program's.
    func ignore(_ path: String) { ignored.insert(path) }

    /// Notes what is wrong at `path`, once per path and message.
    func report(
        _ path: String,
        at place: YAMLPlace,
        _ message: String,
        kind: Finding.Kind = .wrong
    ) {
        guard reported.insert(path + "\u{0}" + message).inserted else { return }
        if let name = overrides[path] {
            findings.append(Finding(path, .environment(name), message, kind: kind))
        } else {
            findings.append(Finding(path, at: place, message, kind: kind))
        }
    }

    /// Reports every key nobody asked for; throws when anything was wrong.
    func finish() throws(ConfigurationError) {
        reportUnknown(in: root, path: "")
        guard findings.isEmpty else { throw ConfigurationError(findings.sorted(by: Self.isFirst)) }
    }

    private func reportUnknown(in node: YAMLNode, path: String) {
        switch node.content {
        case .scalar: break
        case .sequence(let elements):
            for (index, element) in elements.enumerated() {
                reportUnknown(in: element, path: "\(path)[\(index)]")
            }
        case .mapping(let entries):
            for entry in entries {
                let child = path.isEmpty ? entry.key : "\(path).\(entry.key)"
                if Self.looksNested(entry.key) {
                    // Its path is that of a key which stands elsewhere, and was asked for.
                    let message = "unknown key; a section's keys stand below it, one a line"
                    report(child, at: entry.keyPlace, message, kind: .unknownKey)
                } else if ignored.contains(child) {
                    continue
                } else if asked.contains(child) {
                    reportUnknown(in: entry.value, path: child)
                } else {
                    let message = unknown(entry.key, in: path)
                    report(child, at: entry.keyPlace, message, kind: .unknownKey)
                }
            }
        }
    }

    private static func looksNested(_ key: String) -> Bool {
        key.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }
    }

    /// A path cut at its last dot: none is in a name that is asked for.
    private static func parts(_ path: String) -> (parent: String, name: String) {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return ("", path) }
        return (String(path[..<dot]), String(path[path.utf8.index(after: dot)...]))
    }

    private func unknown(_ key: String, in path: String) -> String {
        let prefix = path.isEmpty ? "" : path + "."
        if asked.contains("\(prefix)\(key)_file") {
            return "unknown key; a secret stands in a file of its own: write `\(key)_file`"
        }
        let known = (siblings[path] ?? []).sorted()
        let near = known.min {
            EditDistance.between($0, key) < EditDistance.between($1, key)
        }
        guard let near, EditDistance.between(near, key) <= 2 else {
            return "unknown key; known here: \(known.joined(separator: ", "))"
        }
        return "unknown key; did you mean `\(near)`?"
    }

    private static func isFirst(_ left: Finding, _ right: Finding) -> Bool {
        switch (left.source, right.source) {
        case (.document(let line, let column), .document(let otherLine, let otherColumn)):
            (line, column, left.path, left.message)
                < (otherLine, otherColumn, right.path, right.message)
        case (.document, .environment): true
        case (.environment, .document): false
        case (.environment(let one), .environment(let other)):
            (one, left.message) < (other, right.message)
        }
    }
}
