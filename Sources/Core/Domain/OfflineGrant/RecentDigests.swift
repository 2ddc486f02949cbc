/// The digests of a family's newest refresh tokens, the newest `OfflineGrant.digestsKeptMax`.
///
/// A state is a value, and each refresh makes a new one of the one before, which caches go on
/// holding: so full parts are shared, and only the short row of the newest is copied.
package struct RecentDigests: Hashable, Sendable {
    private static let partCount = 16

    /// Full ones, oldest first; as a whole the first is dropped when it is not needed any more.
    private var parts: [[TokenDigest]] = []
    /// Newer than `parts`, oldest first, never full.
    private var newest: [TokenDigest] = []

    /// `digests`: oldest first.
    package init(_ digests: some Sequence<TokenDigest>) {
        for digest in digests { append(digest) }
    }

    /// How many can be asked for.
    package var count: Int { min(all, OfflineGrant.digestsKeptMax) }

    private var all: Int { parts.count * Self.partCount + newest.count }

    /// That of the current token; nil when there is none.
    package var last: TokenDigest? { digest(ofAge: 0) }

    /// The digest of so many tokens ago, 0 for the current one; nil for one that is not kept.
    package func digest(ofAge age: Int) -> TokenDigest? {
        guard 0..<count ~= age else { return nil }
        if age < newest.count { return newest[newest.count - 1 - age] }
        let older = age - newest.count
        let part = parts[parts.count - 1 - older / Self.partCount]
        return part[Self.partCount - 1 - older % Self.partCount]
    }

    /// That of the token that is the current one from now on.
    package mutating func append(_ digest: TokenDigest) {
        newest.append(digest)
        guard newest.count == Self.partCount else { return }
        parts.append(newest)
        newest = []
        if all - Self.partCount >= OfflineGrant.digestsKeptMax { parts.removeFirst() }
    }

    /// All that `init` needs to make it again, oldest first.
    package var stored: [TokenDigest] { parts.joined() + newest }
}
