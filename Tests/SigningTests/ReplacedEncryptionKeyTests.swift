import Crypto
import Domain
import Foundation
import Issuing
import OAuth
import Runtime
import Testing

@testable import Signing

private struct NoPause: Pause {
    func wait(milliseconds: Int) async {}
    func deadline(inMilliseconds milliseconds: Int) -> Deadline { Deadline(nanoseconds: .max) }
}

/// Decision 0206.
@Suite("A key encryption key that is replaced") struct ReplacedEncryptionKeyTests {
    private let keys: ScratchKeys
    private let old: KeyEncryptionKey.Source
    private let new: KeyEncryptionKey.Source
    private let project: ProjectNumber
    private let deadline = Deadline(nanoseconds: .max)

    init() throws {
        keys = try ScratchKeys()
        old = keys.source
        try FileWriting.replace("\(keys.root)/new", with: SecureRandom.bytes(32))
        new = .credential(path: "\(keys.root)/new")
        project = try #require(ProjectNumber(1))
    }

    private func open(
        _ source: KeyEncryptionKey.Source,
        _ second: KeyEncryptionKey.Second? = nil
    ) throws -> KeyDirectory {
        try KeyDirectory(at: "\(keys.root)/keys", unlockedBy: source, beside: second)
    }

    @Test("a next one opens nothing yet; with a former one every file is sealed anew, once")
    func files() throws {
        let made = try keys.vault().generateNow(.es256)
        let outline = try keys.directory.rootSecrets().outline
        let next = try open(old, .init(new, .next))
        #expect(try next.rootSecrets().outline == outline)
        #expect(try next.reseal() == [], "nothing is sealed by a key that others lack")
        #expect(throws: KeyFileError.foreign(path: "\(keys.root)/keys/root.key")) {
            try open(new).rootSecrets()
        }
        let both = try open(new, .init(old, .former))
        #expect(try both.rootSecrets().outline == outline)
        do {
            let lock = try #require(try next.lock())
            #expect(try both.reseal() == nil, "while a command is at work")
            withExtendedLifetime(lock) {}
        }
        let resealed = try #require(try both.reseal())
        #expect(Set(resealed) == ["root", made.kid])
        #expect(try both.reseal() == [])
        let after = try open(new)
        #expect(try after.rootSecrets().outline == outline)
        #expect(try after.signingKey(made.kid, for: .es256) != nil)
        // Who has not been started anew goes on.
        #expect(try next.rootSecrets().outline == outline)
        #expect(throws: KeyFileError.foreign(path: "\(keys.root)/keys/root.key")) {
            try open(old).rootSecrets()
        }
    }

    @Test("the same key twice is refused, whichever way it is written down") func same() throws {
        let bytes = try FileReading.bytes(at: old.path, bytesMax: 100)
        try FileWriting.replace(new.path, with: Hexadecimal.encode(bytes))
        #expect(throws: KeyFileError.same(path: old.path, other: new.path)) {
            try open(old, .init(new, .next))
        }
    }

    @Test("a lost salt is missed by a passphrase that is the second one, too") func salt() throws {
        try FileWriting.replace(new.path, with: Array("correct horse battery".utf8))
        let second = KeyEncryptionKey.Second(.passphrase(path: new.path), .former)
        let path = "\(keys.root)/keys"
        try FileManager.default.removeItem(atPath: "\(path)/salt")
        #expect(throws: KeyFileError.unreadable(path: "\(path)/salt", .missing)) {
            try KeyDirectory.check(at: path, unlockedBy: old, beside: second)
        }
    }

    @Test("each node opens what any other wraps, at every step") func steps() throws {
        let both = [
            try open(old, .init(new, .next)), try open(new, .init(old, .former)),
        ].map(\.encryption)
        let all = [try open(old).encryption] + both + [try open(new).encryption]
        let wrapped = all.map { $0.wrap(Secret([1, 2, 3]), for: [9]) }
        let opens = all.map { key in wrapped.map { key.unwrap($0, for: [9]) != nil } }
        #expect(
            opens == [
                [true, true, false, false], [true, true, true, true], [true, true, true, true],
                [false, false, true, true],
            ]
        )
        #expect(both.allSatisfy { $0.unwrap(wrapped[0], for: [8]) == nil })
        #expect(all[0].version == all[1].version && all[2].version == all[3].version)
        #expect(all[0].version != all[3].version && all.allSatisfy { $0.version > 1 })
    }

    @Test("keys of users are wrapped anew, those that were destroyed or cannot be opened are not")
    func rows() async throws {
        let rows = SealingKeyRows()
        let before = EnvelopeSealer(try open(old).encryption, rows)
        let place = SealedPlace(stream: Sample.stream(9), member: "email")
        let key = try await before.key(Sample.stream(1), of: project, by: deadline)
        let sealed = key.seal(Array("a@example.com".utf8), as: place)
        for number in 2...1_200 as ClosedRange<UInt64> {
            _ = try await before.key(Sample.stream(number), of: project, by: deadline)
        }
        let (destroyed, strange) = (Sample.stream(2), Sample.stream(3))
        rows.rows.withLock { rows in
            rows[destroyed]?.wrapped = nil
            rows[strange]?.wrapped?[20] ^= 1
            // As every row was before versions told keys apart.
            rows[Sample.stream(4)]?.kekVersion = 1
        }
        let both = EnvelopeSealer(try open(new, .init(old, .former)).encryption, rows)
        let rewrap = SealingKeyRewrap(both, rows, pause: NoPause())
        let deadline = deadline
        let first = try await rewrap.run { deadline }
        #expect(first.found == 1_199 && first.wrapped == 1_198)
        #expect(first.unopened == 1 && first.firstUnopened == strange)
        let second = try await rewrap.run { deadline }
        #expect(second.found == 1 && second.wrapped == 0 && second.unopened == 1)
        let after = EnvelopeSealer(try open(new).encryption, rows)
        let again = try #require(try await after.existingKey(Sample.stream(1), by: deadline))
        #expect(again.open(sealed, at: place) == Array("a@example.com".utf8))
        #expect(try await after.existingKey(destroyed, by: deadline) == nil)
    }
}
