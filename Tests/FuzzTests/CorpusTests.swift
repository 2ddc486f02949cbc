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
        // Inputs that all end at the first guard would let a fuzzer learn nothing.
        var isReached = false
        for file in files {
            let bytes = Array(try Data(contentsOf: file))
            if target.check(bytes) { isReached = true }
            // Half of it, and one byte other at each place.
            _ = target.check(Array(bytes.prefix(bytes.count / 2)))
            for index in bytes.indices.prefix(512) {
                var other = bytes
                other[index] ^= 0x20
                _ = target.check(other)
            }
        }
        #expect(isReached, "no input comes as far as the last promise of \(name)")
    }
}
