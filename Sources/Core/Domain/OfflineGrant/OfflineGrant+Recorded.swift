extension OfflineGrant.Family {
    /// Whether a token of `generation` with this digest was ever issued in the family.
    ///
    /// Nil when the fold no longer keeps digests that old: look it up in the log.
    package func records(_ digest: TokenDigest, generation: UInt32) -> Bool? {
        guard generation >= 1, generation <= self.generation else { return false }
        let age = Int(self.generation - generation)
        guard let recorded = digests.digest(ofAge: age) else { return nil }
        return recorded == digest
    }
}

extension OfflineGrant.Session {
    /// The earlier of idle and absolute end.
    package var endsAt: Instant {
        guard opening.idleMilliseconds > 0 else { return opening.expiresAt }
        return min(
            opening.expiresAt,
            lastUsedAt.adding(milliseconds: opening.idleMilliseconds)
        )
    }
}
