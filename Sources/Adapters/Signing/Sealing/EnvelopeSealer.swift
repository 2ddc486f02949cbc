internal import Crypto
package import Domain
package import Issuing

/// Keys of subjects: drawn here, wrapped by the key encryption key, kept by the database.
package struct EnvelopeSealer: Sealer {
    private let encryption: KeyEncryptionKey
    private let store: any SealingKeyStore

    /// Wraps with `encryption` and keeps rows in `store`.
    package init(_ encryption: KeyEncryptionKey, _ store: any SealingKeyStore) {
        self.encryption = encryption
        self.store = store
    }

    package func key(_ id: StreamID, of project: ProjectNumber, by deadline: Deadline)
        async throws(StoreError) -> any SealingKey
    {
        if let found = try await store.find(id, by: deadline) { return try unwrap(found) }
        let secret = SecureRandom.secret(AES256GCM.keyCount)
        let row = WrappedSealingKey(
            id: id,
            project: project,
            kekVersion: encryption.version,
            wrapped: encryption.wrap(secret, for: Self.purpose(id, project)),
            commitment: SubjectKey.commitment(of: secret, named: id)
        )
        // Committed before the first append that uses it; another node's key may win.
        return try unwrap(try await store.insert(row, by: deadline))
    }

    package func existingKey(_ id: StreamID, by deadline: Deadline)
        async throws(StoreError) -> (any SealingKey)?
    {
        guard let found = try await store.find(id, by: deadline), found.wrapped != nil else {
            return nil
        }
        return try unwrap(found)
    }

    /// What tells rows that the key encryption key wrapped from others.
    var keyVersion: Int32 { encryption.version }

    /// A row as the key encryption key wraps it; nil where neither it nor the second one opens it.
    func rewrapped(_ row: WrappedSealingKey) -> WrappedSealingKey? {
        let purpose = Self.purpose(row.id, row.project)
        guard let wrapped = row.wrapped, let key = encryption.unwrap(wrapped, for: purpose) else {
            return nil
        }
        var anew = row
        anew.wrapped = encryption.wrap(key, for: purpose)
        anew.kekVersion = encryption.version
        return anew
    }

    private func unwrap(_ row: WrappedSealingKey) throws(StoreError) -> SubjectKey {
        guard let wrapped = row.wrapped,
            let key = encryption.unwrap(wrapped, for: Self.purpose(row.id, row.project)),
            equal(SubjectKey.commitment(of: key, named: row.id), row.commitment),
            let opened = SubjectKey(key)
        else { throw .unavailable }
        return opened
    }

    private static func purpose(_ id: StreamID, _ project: ProjectNumber) -> [UInt8] {
        Array("chancery-seal-1\u{0}".utf8) + id.bytes + project.bytes
    }
}
