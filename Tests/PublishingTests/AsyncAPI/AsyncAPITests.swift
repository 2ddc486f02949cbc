import EventFormat
import Foundation
import OAuth
import Publishing
import TestSupport
import Testing

/// What we tell other teams about the topics, against what our processes write.
@Suite("AsyncAPI") struct AsyncAPITests {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let file = root.appending(path: "deploy/asyncapi.yaml")
    static let golden = root.appending(path: "Tests/EventFormatTests/Golden")

    static let goldenNames: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: golden.path)) ?? [])
        .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()

    @Test("deploy/asyncapi.yaml is what the formats say") func isCurrent() throws {
        let text = try AsyncAPIDocument.whole().yaml
        if ProcessInfo.processInfo.environment["WRITE"] == "1" {
            try text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let wanted = text.split(separator: "\n", omittingEmptySubsequences: false)
        let found = try String(contentsOf: Self.file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let different = zip(wanted, found).enumerated().first { $0.element.0 != $0.element.1 }
        if let (line, (wanted, found)) = different {
            Issue.record(
                "line \(line + 1) is \(found), not \(wanted): deploy/test --write"
            )
        }
        #expect(wanted.count == found.count, "deploy/test --write")
    }

    @Test("every record ever released is as the document says", arguments: goldenNames)
    func describes(_ name: String) throws {
        let document = try AsyncAPIDocument.whole()
        let stored = String(name.prefix { $0 != "~" })
        let message = try #require(document["components"]?["messages"]?[stored])
        let url = Self.golden.appending(path: "\(name).json")
        let file = try JSONReader.read(Array(try Data(contentsOf: url)))
        let published = try #require(file["published"])
        try Self.compare(
            try #require(published["headers"]?.members),
            with: try #require(message["headers"]),
            in: document
        )
        try Self.compare(
            try #require(published["value"]?.members),
            with: try #require(message["payload"]),
            in: document
        )
    }

    /// Every member is known and of its kind, and every required one is there.
    private static func compare(
        _ members: [JSON.Member],
        with schema: Outline,
        in document: Outline
    ) throws {
        var schemas = [schema]
        if case .list(let shared)? = schema["allOf"] { schemas += shared }
        schemas = schemas.map { resolved($0, in: document) }
        for member in members {
            let kinds = schemas.compactMap { $0["properties"]?[member.name] }
            #expect(!kinds.isEmpty, "\(member.name) is not described")
            for kind in kinds.map({ resolved($0, in: document) }) {
                #expect(fits(member.value, kind), "\(member.name)")
            }
        }
        for name in schemas.flatMap({ $0["required"]?.texts ?? [] }) {
            #expect(members.contains { $0.name == name }, "\(name) is required")
        }
    }

    private static func resolved(_ schema: Outline, in document: Outline) -> Outline {
        guard let name = schema["$ref"]?.text?.split(separator: "/").last else { return schema }
        return document["components"]?["schemas"]?[String(name)] ?? schema
    }

    private static func fits(_ value: JSON, _ schema: Outline) -> Bool {
        if let constant = schema["const"]?.text { return value.string == constant }
        return switch (value, schema["type"]?.text) {
        case (.string, "string"), (.bool, "boolean"), (.integer, "integer"), (.array, "array"),
            (.object, "object"):
            true
        default: false
        }
    }

    @Test("the handbook says what a record of chancery.revocations is, and its keys")
    func handbook() throws {
        let text = try String(
            contentsOf: Self.root.appending(path: "Sources/Handbook.docc/Events.md"),
            encoding: .utf8
        )
        for shape in RevocationShape.allCases {
            let key = try shape.key(session: "<sid>", client: "<client>", token: "<jti>")
            #expect(text.contains("\n| `\(key)` |"), "\(key)")
        }
        let shapes = try RevocationShape.allCases.map {
            try $0.members(subject: Sample.subject(1)).map(\.name)
        }
        let least = try RevocationShape.allCases.map {
            Set(try $0.members(subject: nil).map(\.name))
        }
        let required = least.dropFirst().reduce(try #require(least.first)) { $0.intersection($1) }
        let whole = try #require(text.split(separator: "`{\"sid\"").dropFirst().first)
        let names = "{\"sid\"\(whole.prefix { $0 != "`" })".dropFirst().dropLast()
            .split(separator: ",").map { String($0.filter { $0 != "\"" }) }
        let listed = names.map { $0.filter { $0 != "?" } }
        #expect(Set(listed) == Set(shapes.joined()))
        for members in shapes { #expect(listed.filter(members.contains) == members) }
        #expect(Set(names.filter { !$0.hasSuffix("?") }) == required)
    }

    @Test("text that means something to YAML is quoted") func quoting() {
        let outline: Outline = [
            "a": "on", "b c": "#x", "d": [1, "e: f"], "g": [["h": [:]], ["i": ["j"]]],
            "k": ["l": "m", "n": -1],
        ]
        #expect(
            outline.yaml == """
                a: "on"
                "b c": "#x"
                d: [1, "e: f"]
                g:
                  - h: {}
                  - i: [j]
                k:
                  l: m
                  "n": -1

                """
        )
    }
}
