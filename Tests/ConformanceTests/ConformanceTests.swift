import Foundation
import TestSupport
import Testing

/// Every `.http` file below this folder, against a server on a socket.
@Suite("Conformance", .timeLimit(.minutes(4))) struct ConformanceTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// Paths from the folder, such as `Grants/refresh-token-reuse.http`.
    static let files: [String] =
        (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? [])
        .filter { $0.hasSuffix(".http") }.sorted()

    @Test("there are files") func exist() { #expect(Self.files.count > 50) }

    @Test("the answer is what the file says", arguments: files)
    func holds(_ file: String) async throws {
        let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        let script = try Script(name: file, text: text)
        var runner = ScriptRunner(try RunningStack.running())
        await runner.run(script)
        #expect(runner.differences == [], "\(file)")
    }
}
