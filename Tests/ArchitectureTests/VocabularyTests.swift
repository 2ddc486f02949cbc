import Testing

/// Words that do not appear, and the reason for each.
@Suite("Vocabulary") struct VocabularyTests {
    struct Word: Sendable, CustomTestStringConvertible {
        var text: String
        var reason: String
        /// Where it may stand all the same.
        var except: [String] = []
        var folders = ["Sources", "migrations"]
        /// Whether comments and literals count too.
        var everywhere = false

        var testDescription: String { text }

        func violations(in file: SourceFile) -> [String] {
            guard !except.contains(where: { file.path.hasPrefix($0) }) else { return [] }
            return (everywhere ? file.lines : file.code).enumerated()
                .filter { Self.contains($0.element, text) }
                .map { "\(file.path):\($0.offset + 1) says \(text): \(reason)" }
        }

        /// Whether `text` stands in `line`, not as the end of a longer word.
        private static func contains(_ line: String, _ text: String) -> Bool {
            var rest = line[...]
            while let range = rest.firstRange(of: text) {
                let before = line[..<range.lowerBound].last
                let isWord = text.first?.isLetter ?? false
                if !isWord || before.map({ !$0.isLetter && $0 != "_" && $0 != "." }) ?? true {
                    return true
                }
                rest = rest[range.upperBound...]
            }
            return false
        }
    }

    static let words = [
        Word(text: "Task {", reason: "it leaves the loop; use Loop.spawn"),
        Word(text: "Task.detached", reason: "it leaves the loop; use Loop.spawn"),
        Word(
            text: "Task.immediate",
            reason: "only the loop and its server make tasks",
            except: ["Sources/Runtime/", "Sources/Drivers/HTTPServer/"]
        ),
        Word(text: "print(", reason: "a process logs, a command writes to its terminal"),
        Word(text: "debugPrint(", reason: "a process logs"),
        Word(text: "try!", reason: "it traps"),
        Word(text: "as!", reason: "it traps"),
        Word(
            text: "fatalError(",
            reason: "a trap is a remote kill; only a primitive that broke may stop the process",
            except: ["Sources/Drivers/Crypto/"]
        ),
        // Tests alone, and what the fuzzer runs, see the inside of a module (decision 0193).
        Word(
            text: "@testable",
            reason: "`package` is enough, and an optimised program has nothing else",
            folders: [
                "Sources", "migrations", "Tests/Benchmarks", "Tests/Counts", "Tests/Fuzz/Main",
                "Tests/Simulation", "Tests/Simulator", "Tests/TestSupport",
            ]
        ),
        Word(text: "Thread.sleep", reason: "it blocks a loop", except: ["Sources/Tooling/"]),
        Word(text: "TODO", reason: "write an issue", everywhere: true),
        Word(text: "FIXME", reason: "write an issue", everywhere: true),
        Word(text: "XXX", reason: "write an issue", everywhere: true),
    ]

    @Test("the word is not used", arguments: words) func holds(_ word: Word) {
        for file in word.folders.flatMap({ SourceTree.files(under: $0) }) {
            for violation in word.violations(in: file) { Issue.record("\(violation)") }
        }
    }

    @Test("the word is seen", arguments: words) func seesABadSample(_ word: Word) {
        let text = "let a = 1\nlet b = \(word.text) a"
        let file = SourceFile(path: "Sources/Core/Domain/Bad.swift", text: text)
        #expect(word.violations(in: file).count == 1)
    }

    @Test("a longer word, a comment and a literal are not taken for it")
    func passesAGoodSample() {
        let text = "let a = MyTask { blueprint(1) }\n// Task { print( }\nlet b = \"try! print(\""
        let file = SourceFile(path: "Sources/Core/Domain/Good.swift", text: text)
        for word in Self.words { #expect(word.violations(in: file).isEmpty) }
    }
}
