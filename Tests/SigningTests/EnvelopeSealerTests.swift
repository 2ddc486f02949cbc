import Crypto
import Domain
import Issuing
import Runtime
import Testing

import Signing

/// `es.sealing_keys` in memory.
final class SealingKeyRows: SealingKeyStore, WrappedKeyPages {
    let rows = Guarded<[StreamID: WrappedSealingKey]>([:])

    func insert(_ key: WrappedSealingKey, by deadline: Deadline)
        async throws(StoreError) -> WrappedSealingKey
    {
        rows.withLock { rows in
            let there = rows[key.id] ?? key
            rows[key.id] = there
            return there
        }
    }

    func find(_ id: StreamID, by deadline: Deadline)
        async throws(StoreError) -> WrappedSealingKey?
    {
        rows.withLock { $0[id] }
    }

    func page(otherThan version: Int32, after last: StreamID?, by deadline: Deadline)
        async throws(StoreError) -> [WrappedSealingKey]
    {
        rows.withLock { rows in
            let page = rows.values
                .filter { row in row.wrapped != nil && last.map { $0 < row.id } ?? true }
                .sorted { $0.id < $1.id }.prefix(500)
            return page.filter { $0.kekVersion != version || $0.id == page.last?.id }
        }
    }

    func replace(_ keys: [RewrappedKey], by deadline: Deadline)
        async throws(StoreError) -> Int
    {
        rows.withLock { rows in
            let still = keys.filter { rows[$0.found.id] == $0.found }
            for key in still { rows[key.found.id] = key.anew }
            return still.count
        }
    }
}

@Suite("Sealed values") struct EnvelopeSealerTests {
    let rows = SealingKeyRows()
    let keys: ScratchKeys
    let sealer: EnvelopeSealer
    let project: ProjectNumber
    let deadline = Deadline(nanoseconds: .max)
    let place = SealedPlace(stream: Sample.stream(9), member: "email")

    init() throws {
        keys = try ScratchKeys()
        sealer = EnvelopeSealer(keys.directory.encryption, rows)
        project = try #require(ProjectNumber(1))
    }

    @Test("open with the subject's key, in their own place and nowhere else") func roundTrip()
        async throws
    {
        let key = try await sealer.key(Sample.stream(1), of: project, by: deadline)
        let sealed = key.seal(Array("a@example.com".utf8), as: place)
        #expect(sealed.bytes[0] == 1)
        #expect(sealed.bytes.count == 42, "version, nonce, 13 bytes, tag")
        let again = try #require(
            try await sealer.existingKey(Sample.stream(1), by: deadline)
        )
        #expect(again.open(sealed, at: place) == Array("a@example.com".utf8))
        let otherMember = SealedPlace(stream: place.stream, member: "name")
        #expect(again.open(sealed, at: otherMember) == nil)
        let otherStream = SealedPlace(stream: Sample.stream(8), member: "email")
        #expect(again.open(sealed, at: otherStream) == nil)
        let stranger = try await sealer.key(Sample.stream(2), of: project, by: deadline)
        #expect(stranger.open(sealed, at: place) == nil)
        for index in sealed.bytes.indices {
            var bytes = sealed.bytes
            bytes[index] ^= 1
            #expect(again.open(Sealed(bytes: bytes), at: place) == nil)
        }
        #expect(again.open(Sealed(bytes: []), at: place) == nil)
    }

    @Test("the same value never looks the same twice") func nonces() async throws {
        let key = try await sealer.key(Sample.stream(1), of: project, by: deadline)
        #expect(key.seal([1], as: place) != key.seal([1], as: place))
    }

    @Test("once the key is destroyed nobody opens them, and no new key takes its place")
    func destroyed() async throws {
        _ = try await sealer.key(Sample.stream(1), of: project, by: deadline)
        rows.destroy(Sample.stream(1))
        #expect(try await sealer.existingKey(Sample.stream(1), by: deadline) == nil)
        await #expect(throws: StoreError.unavailable) {
            try await sealer.key(Sample.stream(1), of: project, by: deadline)
        }
    }

    @Test("a row moved to another id, project or commitment is refused") func moved()
        async throws
    {
        _ = try await sealer.key(Sample.stream(1), of: project, by: deadline)
        let row = try #require(rows.current(Sample.stream(1)))
        var other = row
        other.id = Sample.stream(2)
        rows.put(other)
        await #expect(throws: StoreError.unavailable) {
            try await sealer.existingKey(Sample.stream(2), by: deadline)
        }
        other = row
        other.commitment[0] ^= 1
        rows.put(other)
        await #expect(throws: StoreError.unavailable) {
            try await sealer.existingKey(Sample.stream(1), by: deadline)
        }
    }

    @Test("the row holds 61 wrapped bytes and a commitment of 32") func shape() async throws {
        _ = try await sealer.key(Sample.stream(1), of: project, by: deadline)
        let row = try #require(rows.current(Sample.stream(1)))
        #expect(row.wrapped?.count == 61)
        #expect(row.commitment.count == 32)
        #expect(row.kekVersion == keys.directory.encryption.version)
    }
}

extension SealingKeyRows {
    fileprivate func current(_ id: StreamID) -> WrappedSealingKey? { rows.withLock { $0[id] } }

    fileprivate func put(_ row: WrappedSealingKey) { rows.withLock { $0[row.id] = row } }

    fileprivate func destroy(_ id: StreamID) { rows.withLock { $0[id]?.wrapped = nil } }
}
