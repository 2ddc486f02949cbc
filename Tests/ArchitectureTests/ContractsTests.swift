import Foundation
import Testing

/// What another target can call says what its caller can rely on.
///
/// Types of a file and functions need a contract. A function that a protocol asks for has it
/// there; fields, cases and nested types speak through their names, or say more if they must.
@Suite("Contracts") struct ContractsTests {
    /// The functions that a protocol documents: ours, and the standard library's.
    static let requirements: Set<String> = SourceTree.files(under: "Sources")
        .reduce(into: standard) { $0.formUnion(required(in: $1)) }

    static let standard: Set<String> = [
        "==", "<", "hash", "encode", "next", "union", "intersection", "symmetricDifference",
        "formUnion", "formIntersection", "formSymmetricDifference", "insert", "remove", "update",
        "contains", "isSubset", "makeIterator", "index", "enqueue",
    ]

    /// The function names inside the protocols of a file.
    static func required(in file: SourceFile) -> Set<String> {
        var names: Set<String> = []
        var depth: Int?
        for line in file.code {
            let words = line.split(separator: " ")
            if depth == nil, words.contains("protocol") { depth = 0 }
            guard let now = depth else { continue }
            if let at = words.firstIndex(of: "func"), at + 1 < words.count {
                names.insert(String(words[at + 1].prefix { $0 != "(" && $0 != "<" }))
            }
            let change = line.count { $0 == "{" } - line.count { $0 == "}" }
            depth = now + change == 0 && line.contains("}") ? nil : now + change
        }
        return names
    }

    /// The lines that declare something for other targets without a word about it.
    static func undocumented(in file: SourceFile) -> [String] {
        file.code.indices.compactMap { index in
            guard let name = declared(file.code[index]) else { return nil }
            var above = index - 1
            while above >= 0, isAttribute(file.code[above]) { above -= 1 }
            let comment = above >= 0 ? file.lines[above].trimmingCharacters(in: .whitespaces) : ""
            guard !comment.hasPrefix("///") else { return nil }
            return "\(file.path):\(index + 1) \(name) has no documentation"
        }
    }

    private static func isAttribute(_ line: String) -> Bool {
        let text = line.trimmingCharacters(in: .whitespaces)
        return text.hasPrefix("@") && !text.contains(" package ") || text.hasPrefix("#if")
    }

    /// What a line declares for other targets, when that needs a contract.
    private static func declared(_ line: String) -> String? {
        var words = line.split(separator: " ")[...]
        while let word = words.first, word.hasPrefix("@") { words = words.dropFirst() }
        guard words.first == "package" else { return nil }
        words = words.dropFirst()
        while let word = words.first, modifiers.contains(word) { words = words.dropFirst() }
        guard let keyword = words.first, let next = words.dropFirst().first else { return nil }
        let name = String(next.prefix { $0 != "(" && $0 != "<" || $0 == next.first })
        let isType = types.contains(keyword) && !line.hasPrefix(" ")
        let isFunction = keyword == "func" && !requirements.contains(name)
        return isType || isFunction ? "\(keyword) \(name)" : nil
    }

    private static let modifiers: Set<Substring> = [
        "static", "final", "mutating", "nonisolated", "indirect", "consuming", "borrowing",
    ]
    private static let types: Set<Substring> = [
        "struct", "enum", "class", "protocol", "actor", "typealias",
    ]

    @Test("every type and function that others may use is documented") func holds() {
        for file in SourceTree.files(under: "Sources") {
            for violation in Self.undocumented(in: file) { Issue.record("\(violation)") }
        }
    }

    @Test(
        "a missing contract is seen",
        arguments: [
            "package struct A {}", "@safe package final class A {}", "// Why.\npackage enum A {}",
            "@frozen\npackage protocol A {}", "/// Of x.\nlet x = 1\npackage typealias A = Int",
            "extension A {\n    package static func begin<T>(_ a: T) {}\n}",
        ]
    )
    func seesABadSample(_ text: String) {
        let file = SourceFile(path: "Sources/Core/Domain/Bad.swift", text: text)
        #expect(Self.undocumented(in: file).count == 1)
    }

    @Test(
        "a contract above attributes, or in a protocol, counts",
        arguments: [
            "/// A.\npackage struct A {}", "/// A.\n@safe\n@frozen\npackage final class A {}",
            "/// A.\n@safe package enum A {}", "package extension A {}", "package import B",
            "extension A: Comparable {\n    package static func < (a: A, b: A) -> Bool {}\n}",
        ]
    )
    func passesAGoodSample(_ text: String) {
        let file = SourceFile(path: "Sources/Core/Domain/Good.swift", text: text)
        #expect(Self.undocumented(in: file).isEmpty)
    }

    @Test("what a protocol asks for is found") func findsRequirements() {
        let text =
            "package protocol P: Sendable {\n    func a() {\n    static func b<T>(_: T)\n}\n"
            + "}\nfunc c() {}\npackage protocol Q { func d(_: Int) -> Int }\nfunc e() {}\n"
        let file = SourceFile(path: "Sources/Core/Domain/P.swift", text: text)
        #expect(Self.required(in: file) == ["a", "b", "d"])
    }
}
