package import Domain
internal import OAuth

extension ProjectSettings {
    /// The host of `http.projector_origin`, which projectors answer as they answer `hosts`; nil in
    /// a document whose origin is malformed.
    package var feedHost: String? { Origin(projectorOrigin)?.host.text }

    /// The hosts that no other project may have: those answered, and that of the feed.
    package var allHosts: [String] {
        guard let feedHost, !hosts.contains(feedHost) else { return hosts }
        return hosts + [feedHost]
    }

    /// A host of `other` that it takes.
    ///
    /// A host that it has already, as `own` says, stays its own, even if an earlier document shares
    /// it.
    func hostTaken(from other: Self, having own: Self?) -> String? {
        other.allHosts.first { host in
            allHosts.contains(host) && own?.allHosts.contains(host) != true
        }
    }
}
