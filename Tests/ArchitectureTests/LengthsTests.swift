import Testing

/// Small files, short functions.
@Suite("Lengths") struct LengthsTests {
    static let fileLinesMax = 300
    static let lineColumnsMax = 100
    static let functionLinesMax = 60

    static func violations(in file: SourceFile) -> [String] {
        var found: [String] = []
        if file.lines.count > fileLinesMax {
            found.append("\(file.path) has \(file.lines.count) lines")
        }
        found += longLines(file.lines, of: file.path)
        for body in Functions(file.code).bodies where body.lines > functionLinesMax {
            found.append("\(file.path):\(body.line) is a function of \(body.lines) lines")
        }
        return found
    }

    static func longLines(_ lines: [String], of path: String) -> [String] {
        lines.enumerated().filter { $0.element.count > lineColumnsMax }.map {
            "\(path):\($0.offset + 1) has \($0.element.count) columns"
        }
    }

    @Test("lines of SQL are short, but for migrations, which are for ever") func statements() {
        for path in SourceTree.paths(under: "Sources", suffix: ".sql") {
            let text = SourceTree.text(path) ?? ""
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            for violation in Self.longLines(lines.map(String.init), of: path) {
                Issue.record("\(violation)")
            }
        }
    }

    @Test("files, lines and functions are short") func holds() {
        for file in SourceTree.all {
            for violation in Self.violations(in: file) { Issue.record("\(violation)") }
        }
    }

    static let longFunction =
        "    func f(\n        a: Int\n    )\n        async throws -> Int\n    {\n"
        + String(repeating: "        use({ 1 })\n", count: 60) + "    }\n"

    @Test(
        "what is too long is seen",
        arguments: [
            String(repeating: "let a = 1\n", count: 301),
            "// " + String(repeating: "x", count: 98),
            "struct S {\n\(longFunction)}\n",
            "protocol P {\n    func f()\n    init(a: Int)\n}\nstruct S {\n\(longFunction)}\n",
        ]
    )
    func seesABadSample(_ text: String) {
        let file = SourceFile(path: "Sources/Core/Domain/Bad.swift", text: text)
        #expect(Self.violations(in: file).count == 1)
    }

    @Test("what is short passes")
    func passesAGoodSample() {
        let text = String(repeating: "func f() { \"}\" }  // {\n", count: 300)
        let file = SourceFile(path: "Sources/Core/Domain/Good.swift", text: text)
        #expect(Self.violations(in: file).isEmpty)
    }
}
