import Foundation
import Fuzzing
import Testing

@Suite("What fuzzers have learnt") struct CorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fuzz/Corpus")

    /// A broken promise traps, and the run ends with its sentence.
    @Test("no kept input breaks a parser's promise", arguments: Target.all.map(\.name))
    func kept(_ name: String) throws {
        let target = try #require(Target.all.first { $0.name == name })
        let folder = Self.corpus.appending(path: name)
        let files = try FileManager.default.contentsOfDirectory(
            at: folder,
            includingPropertiesForKeys: nil
        )
        #expect(!files.isEmpty, "no corpus for \(name)")
        for file in files {
            let bytes = Array(try Data(contentsOf: file))
            target.check(bytes)
            // Half of it, and one byte other at each place.
            target.check(Array(bytes.prefix(bytes.count / 2)))
            for index in bytes.indices.prefix(512) {
                var other = bytes
                other[index] ^= 0x20
                target.check(other)
            }
        }
    }
}
