import Foundation
import Testing

/// Unsafe code has an address, and a lock or loop that guards it has a name.
@Suite("Unsafe") struct UnsafeTests {
    static let addresses = [
        "Sources/System/", "Sources/Drivers/", "Sources/Runtime/",
        "Sources/Executables/dev-broker/",  // Nothing but librdkafka's mock, for development.
    ]

    static func violations(in file: SourceFile) -> [String] {
        let isAllowed = addresses.contains { file.path.hasPrefix($0) }
        return file.code.indices.flatMap { index in
            let line = file.code[index]
            var found: [String] = []
            if !isAllowed, uses(line) {
                found.append("\(file.path):\(index + 1) is unsafe outside the drivers")
            }
            if line.contains("@unchecked Sendable"), !hasComment(file, index) {
                found.append("\(file.path):\(index + 1) does not say what guards it")
            }
            return found
        }
    }

    private static func uses(_ line: String) -> Bool {
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" }
        return words.contains("unsafe") || line.contains("nonisolated(unsafe)")
            || line.contains("unsafeBitCast") || line.contains("UnsafeMutable")
            || line.contains("UnsafeRaw") || line.contains("UnsafePointer")
    }

    /// A comment on the line, or directly above the declaration and its documentation.
    private static func hasComment(_ file: SourceFile, _ index: Int) -> Bool {
        if file.lines[index].contains("// ") { return true }
        var above = index - 1
        while above >= 0 {
            let text = file.lines[above].trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("//") && !text.hasPrefix("///") { return true }
            guard text.hasPrefix("///") || text.hasPrefix("@") else { return false }
            above -= 1
        }
        return false
    }

    @Test("only System, Drivers and Runtime are unsafe; what is unchecked says why") func holds() {
        for file in SourceTree.files(under: "Sources") {
            for violation in Self.violations(in: file) { Issue.record("\(violation)") }
        }
    }

    @Test(
        "unsafe code elsewhere is seen",
        arguments: [
            "let a = unsafe b.pointee", "nonisolated(unsafe) var a = 1",
            "func f(_ a: UnsafePointer<Int>) {}", "/// A.\nfinal class A: @unchecked Sendable {}",
        ]
    )
    func seesABadSample(_ text: String) {
        let file = SourceFile(path: "Sources/Core/Domain/Bad.swift", text: text)
        #expect(Self.violations(in: file).count == 1)
    }

    @Test(
        "its address, and a named guard, are accepted",
        arguments: [
            "let a = unsafe b.pointee",
            "// Touched on `loop` alone.\n/// A.\n@safe\nfinal class A: @unchecked Sendable {}",
            "final class A: @unchecked Sendable {  // `lock` guards `b`.",
        ]
    )
    func passesAGoodSample(_ text: String) {
        let file = SourceFile(path: "Sources/Drivers/Kafka/Good.swift", text: text)
        #expect(Self.violations(in: file).isEmpty)
    }
}
