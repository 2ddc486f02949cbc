package import Domain
package import Issuing
internal import Runtime

/// Seals by writing the place in front of the value: it opens only where it was sealed.
package final class InMemorySealer: Sealer {
    private let destroyed = Guarded<Set<StreamID>>([])
    private let made = Guarded<Set<StreamID>>([])
    private let asked = Guarded(0)

    package init() {}

    /// How often a key was asked for: of PostgreSQL that is a query each time.
    package var lookUps: Int { asked.withLock { $0 } }

    package func key(_ id: StreamID, of project: ProjectNumber, by deadline: Deadline)
        async throws(StoreError) -> any SealingKey
    {
        asked.withLock { $0 += 1 }
        guard !destroyed.withLock({ $0.contains(id) }) else { throw .unavailable }
        _ = made.withLock { $0.insert(id) }
        return Key(id: id)
    }

    package func existingKey(_ id: StreamID, by deadline: Deadline)
        async throws(StoreError) -> (any SealingKey)?
    {
        asked.withLock { $0 += 1 }
        let isThere = made.withLock { $0.contains(id) } && !destroyed.withLock { $0.contains(id) }
        return isThere ? Key(id: id) : nil
    }

    /// Destroys the key `id` for good, as an erasure does.
    package func destroyKey(_ id: StreamID) {
        _ = destroyed.withLock { $0.insert(id) }
    }

    private struct Key: SealingKey {
        let id: StreamID

        func seal(_ value: [UInt8], as place: SealedPlace) -> Sealed {
            Sealed(bytes: prefix(place) + value)
        }

        func open(_ sealed: Sealed, at place: SealedPlace) -> [UInt8]? {
            let prefix = prefix(place)
            guard sealed.bytes.starts(with: prefix) else { return nil }
            return Array(sealed.bytes.dropFirst(prefix.count))
        }

        private func prefix(_ place: SealedPlace) -> [UInt8] {
            Array("\(id)/\(place.stream)/\(place.member):".utf8)
        }
    }
}
