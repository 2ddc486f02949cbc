package import Configuration
package import Issuing

/// What became of one operator at a SIGHUP: by name and role; what proves them is not told.
package struct ChangedOperator: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case added, removed
        case role(was: Operator.Role)
        /// By other tokens or certificates than before, or by more or fewer.
        case proof
    }

    package let name: String
    /// What they may do now; of one who was taken out, what they might.
    package let role: Operator.Role
    package let kind: Kind

    /// What differs between two lists, by name.
    package static func all(
        from former: [AdminSettings.Entry],
        to current: [AdminSettings.Entry]
    ) -> [Self] {
        let (before, after) = (holders(of: former), holders(of: current))
        // Names differ by their bytes, as in the settings.
        return Set(before.keys).union(after.keys)
            .sorted { $0.lexicographicallyPrecedes($1) }
            .flatMap { changes(from: before[$0], to: after[$0]) }
    }

    /// One name may have several proofs, as while a token is changed, and has one role.
    private struct Holder {
        var name: String
        var role: Operator.Role
        var proofs: Set<AdminSettings.Proof>
    }

    private static func holders(of entries: [AdminSettings.Entry]) -> [[UInt8]: Holder] {
        entries.reduce(into: [:]) { holders, entry in
            let holder = entry.operatorName
            let new = Holder(name: holder.name, role: holder.role, proofs: [])
            holders[Array(holder.name.utf8), default: new].proofs.insert(entry.proof)
        }
    }

    private static func changes(from former: Holder?, to current: Holder?) -> [Self] {
        guard let current else {
            return former.map { [Self(name: $0.name, role: $0.role, kind: .removed)] } ?? []
        }
        func change(_ kind: Kind) -> Self {
            Self(name: current.name, role: current.role, kind: kind)
        }
        guard let former else { return [change(.added)] }
        var changes: [Self] = []
        if former.role != current.role { changes.append(change(.role(was: former.role))) }
        if former.proofs != current.proofs { changes.append(change(.proof)) }
        return changes
    }
}
