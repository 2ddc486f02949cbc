internal import YAML

/// A mapping of a configuration, read key by key; what is wrong is collected, never thrown.
///
/// Keys may be dotted (`database.host`). Every reader answers a usable value also when it has
/// reported a finding, so one run finds everything. A key that is never asked for is unknown.
package struct Section {
    private let reader: DocumentReader
    private let node: YAMLNode?
    /// Where the section stands, as findings name it.
    package let path: String

    init(_ reader: DocumentReader, _ node: YAMLNode?, path: String) {
        self.reader = reader
        self.node = node
        self.path = path
    }

    /// Whether the document is a developer's: `--insecure-dev`.
    var isInsecureDev: Bool { reader.isInsecureDev }

    /// Whether the key is there at all.
    package func has(_ key: String) -> Bool { child(key) != nil }

    /// Whether the value of `key` is a list.
    package func isList(_ key: String) -> Bool {
        if case .sequence? = child(key)?.content { true } else { false }
    }

    /// Notes what is wrong with the value of `key`, or with the section for `nil`.
    package func report(_ key: String?, _ message: String, kind: Finding.Kind = .wrong) {
        let place = key.flatMap { child($0)?.place } ?? node?.place ?? reader.root.place
        reader.report(key.map(full) ?? path, at: place, message, kind: kind)
    }

    /// The section at `key`; an absent one is empty.
    package func section(_ key: String) -> Section {
        Section(reader, child(key), path: full(key)).checked()
    }

    /// The elements of the list at `key`, each a section; an absent list is empty.
    package func sections(_ key: String) -> [Section] {
        list(key).enumerated().map { index, element in
            Section(reader, element, path: "\(full(key))[\(index)]").checked()
        }
    }

    /// The entries of the mapping at `key` whose names are the operator's to choose.
    package func named(_ key: String) -> [(name: String, section: Section)] {
        let holder = section(key)
        guard case .mapping(let entries)? = holder.node?.content else { return [] }
        return entries.map { ($0.key, holder.section($0.key)) }
    }

    /// Accepts everything below `key` unread: another program's.
    package func ignore(_ key: String) {
        reader.ignore(full(key))
    }

    /// The text at `key`, or nil when it is absent or no single value.
    ///
    /// Reports an empty, `null` or `~` value, more than 2,048 bytes, and control characters.
    package func optionalString(_ key: String) -> String? {
        guard let scalar = scalar(key) else { return nil }
        guard scalar.text.utf8.count <= 2048 else {
            report(key, "longer than 2048 bytes")
            return nil
        }
        guard scalar.text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            report(key, "control characters are not allowed")
            return nil
        }
        return scalar.text
    }

    /// The elements of the list of single values at `key`; an absent list is nil.
    package func optionalStrings(_ key: String) -> [String]? {
        guard has(key) else { return nil }
        return list(key).enumerated().compactMap { index, element in
            let place = "\(full(key))[\(index)]"
            guard case .scalar(let text, _) = element.content, !text.isEmpty else {
                reader.report(place, at: element.place, "must be a single value")
                return nil
            }
            guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else {
                reader.report(place, at: element.place, "too long, or control characters")
                return nil
            }
            return text
        }
    }

    /// Notes what is wrong with element `index` of the list at `key`.
    package func report(_ key: String, element index: Int, _ message: String) {
        var place = node?.place ?? reader.root.place
        if case .sequence(let elements)? = child(key)?.content, elements.indices.contains(index) {
            place = elements[index].place
        }
        reader.report("\(full(key))[\(index)]", at: place, message)
    }

    /// Text and style of the single value at `key`.
    func scalar(_ key: String) -> (text: String, isPlain: Bool)? {
        guard let child = child(key) else { return nil }
        guard case .scalar(let text, let isPlain) = child.content else {
            report(key, "must be a single value")
            return nil
        }
        if isPlain, text.isEmpty || text == "~" || text == "null" {
            report(key, "has no value; leave the key out or give it one")
            return nil
        }
        return (text, isPlain)
    }

    private func list(_ key: String) -> [YAMLNode] {
        guard let child = child(key) else { return [] }
        guard case .sequence(let elements) = child.content else {
            report(key, "must be a list: [a, b], or one line `- a` each")
            return []
        }
        return elements
    }

    private func checked() -> Section {
        guard let node else { return self }
        if case .mapping = node.content { return self }
        reader.report(path, at: node.place, "must hold keys and values")
        return Section(reader, nil, path: path)
    }

    private func full(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    private func child(_ key: String) -> YAMLNode? {
        var place = path
        var current = node
        for name in key.split(separator: ".") {
            let holderPath = place
            place = place.isEmpty ? String(name) : "\(place).\(name)"
            reader.ask(place)
            guard let holder = current else { continue }
            guard case .mapping(let entries) = holder.content else {
                reader.report(holderPath, at: holder.place, "must hold keys and values")
                current = nil
                continue
            }
            current = entries.first { $0.key.utf8.elementsEqual(name.utf8) }?.value
        }
        return current
    }
}
