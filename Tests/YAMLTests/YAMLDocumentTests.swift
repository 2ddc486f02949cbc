import Testing

import YAML

@Suite("A YAML document") struct YAMLDocumentTests {
    @Test("keeps text, style, order and places; resolves no types") func tree() throws {
        let text = """
            # a comment
            id: yes
            "quoted": '1_0'
            list: [a, {b: c}]
            print: 14:6D:E9
            empty:
            """
        let root = try YAMLDocument.parse(Array(text.utf8))
        #expect(
            describe(root) == "{id=p:yes quoted=q:1_0 list=[p:a {b=p:c}] print=p:14:6D:E9 empty=p:}"
        )
        guard case .mapping(let entries) = root.content else {
            Issue.record("no mapping")
            return
        }
        #expect(entries[0].keyPlace == YAMLPlace(line: 2, column: 1))
        #expect(entries[0].value.place == YAMLPlace(line: 2, column: 5))
        #expect(entries[2].value.place == YAMLPlace(line: 4, column: 7))
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var cause: YAMLError.Cause
        var place: YAMLPlace

        init(_ sentence: String, _ text: String, _ cause: YAMLError.Cause, _ place: (Int, Int)) {
            testDescription = sentence
            self.text = text
            self.cause = cause
            self.place = YAMLPlace(line: place.0, column: place.1)
        }
    }

    static let refusals = [
        Refusal("a key twice", "a: 1\nb: 2\na: 3\n", .duplicateKey("a"), (3, 1)),
        Refusal("a key twice, once quoted", "a: 1\n\"a\": 3\n", .duplicateKey("a"), (2, 1)),
        Refusal("a key twice, nested", "x:\n  - {a: 1, a: 2}\n", .duplicateKey("a"), (2, 12)),
        Refusal("an anchor", "a: &x 1\n", .anchor, (1, 4)),
        Refusal("an alias", "a: *x\n", .alias, (1, 4)),
        Refusal("a tag", "a: !!str 1\n", .tag, (1, 4)),
        Refusal("a tag on a mapping", "a: !x {b: c}\n", .tag, (1, 4)),
        Refusal("a mapping as key", "? {a: b}\n: c\n", .keyIsNoScalar, (1, 3)),
        Refusal("nothing", "", .empty, (1, 1)),
        Refusal("a comment alone", "# nothing\n", .empty, (1, 1)),
        Refusal("two documents", "a: 1\n---\nb: 2\n", .secondDocument, (2, 1)),
        Refusal(
            "33 levels",
            String(repeating: "[", count: 33) + String(repeating: "]", count: 33),
            .tooDeep,
            (1, 33)
        ),
        Refusal(
            "an open bracket",
            "a: [1\n",
            .syntax("did not find expected ',' or ']'"),
            (2, 1)
        ),
        Refusal(
            "a tab as indentation",
            "a:\n\tb: 1\n",
            .syntax("found character that cannot start any token"),
            (2, 1)
        ),
    ]

    @Test(arguments: refusals) func refuses(_ refusal: Refusal) {
        let error = #expect(throws: YAMLError.self) {
            try YAMLDocument.parse(Array(refusal.text.utf8))
        }
        #expect(error?.cause == refusal.cause)
        #expect(error?.place == refusal.place)
    }

    @Test("32 levels are allowed") func deepEnough() throws {
        let text = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        #expect(try describe(YAMLDocument.parse(Array(text.utf8))) == text)
    }

    @Test(
        "refuses what is not UTF-8, and UTF-16 whatever its mark says",
        arguments: [
            [0x61, 0x3A, 0x20, 0xFF], [0xC0, 0x80], [0xFF, 0xFE, 0x61, 0x00, 0x3A, 0x00],
            [0x61, 0x3A, 0x20, 0x00],
        ] as [[UInt8]]
    )
    func encoding(_ bytes: [UInt8]) {
        let error = #expect(throws: YAMLError.self) { try YAMLDocument.parse(bytes) }
        guard case .syntax = error?.cause else {
            Issue.record("refused for another cause: \(String(describing: error))")
            return
        }
    }

    @Test("refuses a megabyte and a byte") func size() {
        let bytes = [UInt8](repeating: 0x23, count: YAMLDocument.bytesMax + 1)
        let error = #expect(throws: YAMLError.self) { try YAMLDocument.parse(bytes) }
        #expect(error?.cause == .tooLarge)
    }

    private func describe(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let text, let isPlain): (isPlain ? "p:" : "q:") + text
        case .sequence(let elements): "[" + elements.map(describe).joined(separator: " ") + "]"
        case .mapping(let entries):
            "{" + entries.map { "\($0.key)=\(describe($0.value))" }.joined(separator: " ") + "}"
        }
    }
}
