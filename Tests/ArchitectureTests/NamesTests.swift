import Testing

/// A type that others use is found by its file's name.
@Suite("Names") struct NamesTests {
    static func violations(in file: SourceFile) -> [String] {
        let types = file.code.compactMap(typeName)
        let base = file.name.split(separator: ".").first.map(String.init) ?? ""
        let owner = base.split(separator: "+").first.map(String.init) ?? ""
        var found: [String] = []
        if types.count > 1 { found.append("\(file.path) declares \(types)") }
        if let type = types.first, type != owner || base != owner {
            found.append("\(file.path) declares \(type)")
        }
        return found
    }

    private static let kinds: Set<Substring> = ["struct", "enum", "class", "protocol", "actor"]

    private static func typeName(_ line: String) -> String? {
        guard !line.hasPrefix(" ") else { return nil }
        let words = line.split(separator: " ")
        guard let level = words.firstIndex(of: "package"),
            let kind = words[level...].firstIndex(where: { kinds.contains($0) }),
            words[level..<kind].allSatisfy({ ["package", "final", "indirect"].contains($0) }),
            kind + 1 < words.count
        else { return nil }
        return String(words[kind + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }

    @Test("one package type per file, named like it") func holds() {
        for file in SourceTree.files(under: "Sources") {
            for violation in Self.violations(in: file) { Issue.record("\(violation)") }
        }
    }

    @Test(
        "a second type and another name are seen",
        arguments: [
            "package struct Bad {}\npackage enum Other {}",
            "@safe package final class Other: Sendable {}",
            "package protocol Other<T>: Sendable {}",
        ]
    )
    func seesABadSample(_ text: String) {
        let file = SourceFile(path: "Sources/Core/Domain/Bad.swift", text: text)
        #expect(Self.violations(in: file).count == 1)
    }

    @Test("nested and own types, and extensions, are free")
    func passesAGoodSample() {
        let text =
            "package struct Good {\n    package enum State {}\n}\nstruct Own {}\n"
            + "package extension Other {}"
        let file = SourceFile(path: "Sources/Core/Domain/Good.swift", text: text)
        #expect(Self.violations(in: file).isEmpty)
    }
}
