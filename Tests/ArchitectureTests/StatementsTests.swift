import Testing

/// SQL lives in `.sql` files, where it has a name, a comment and a test of its plan.
@Suite("Statements") struct StatementsTests {
    static let beginnings = [
        "SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "WITH ", "CREATE ", "ALTER ",
        "DROP ", "GRANT ", "REVOKE ", "TRUNCATE ",
    ]

    static func violations(in file: SourceFile) -> [String] {
        file.literals
            .filter { literal in
                let text = literal.text.drop { $0.isWhitespace }
                guard text.first?.isUppercase == true,
                    text.dropFirst().first?.isUppercase == true
                else { return false }
                let beginning = text.prefix(16).uppercased()
                return beginnings.contains { beginning.hasPrefix($0) }
            }
            .map { "\(file.path):\($0.line) has SQL in a literal" }
    }

    @Test("no SQL stands in Swift") func holds() {
        for file in SourceTree.files(under: "Sources") {
            for violation in Self.violations(in: file) { Issue.record("\(violation)") }
        }
    }

    @Test("the base name of every statement is its own: the binary embeds base names")
    func namesAreUnique() {
        let names = SourceTree.paths(under: "Sources", suffix: ".sql")
            .map { String($0.split(separator: "/").last ?? "") }
        #expect(names.count == Set(names).count)
    }

    @Test("a file of SQL begins with its name, and what it does")
    func statementsAreExplained() {
        for path in SourceTree.paths(under: "Sources", suffix: ".sql") {
            let name = path.split(separator: "/").last ?? ""
            #expect(SourceTree.text(path)?.hasPrefix("-- \(name): ") == true, "\(path)")
        }
    }

    @Test(
        "a statement in a literal is seen",
        arguments: [
            "let a = \"SELECT 1\"", "let a = \"\"\"\n    INSERT INTO es.events\n    \"\"\"",
            "f(\"UPDATE x SET y = \\(z)\")",
        ]
    )
    func seesABadSample(_ text: String) {
        let file = SourceFile(path: "Sources/Adapters/Persistence/Bad.swift", text: text)
        #expect(Self.violations(in: file).count == 1)
    }

    @Test(
        "prose is not taken for a statement",
        arguments: ["let a = \"Select a client\"", "// \"SELECT 1\"", "let a = \"with it\""]
    )
    func passesAGoodSample(_ text: String) {
        let file = SourceFile(path: "Sources/Adapters/Persistence/Good.swift", text: text)
        #expect(Self.violations(in: file).isEmpty)
    }
}
