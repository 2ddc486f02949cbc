/// What was used of late, a bounded number of entries.
///
/// Two generations: when the young one is full it becomes the old one, and what is left of the old
/// one is forgotten. Whoever is asked for is young again, so the last half of them stay.
package struct RecentlyUsed<Key: Hashable, Value> {
    private let youngMax: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// Nothing yet; `countMax` entries at most.
    package init(countMax: Int) { youngMax = countMax / 2 }

    /// How many there are.
    package var count: Int { young.count + old.count }

    /// The value of a key that is not forgotten.
    package mutating func find(_ key: Key) -> Value? {
        if let found = young[key] { return found }
        guard let found = old[key] else { return nil }
        insert(found, for: key)
        return found
    }

    /// Keeps a value.
    package mutating func insert(_ value: Value, for key: Key) {
        old[key] = nil
        if young[key] == nil, young.count >= youngMax {
            // Both keep their memory: whoever holds a lock around this makes nobody wait for more.
            swap(&young, &old)
            young.removeAll(keepingCapacity: true)
        }
        young[key] = value
    }
}

extension RecentlyUsed: Sendable where Key: Sendable, Value: Sendable {}
