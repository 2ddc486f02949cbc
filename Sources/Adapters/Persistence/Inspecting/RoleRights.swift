internal import Postgres

/// What a login role may do in our schema.
package struct RoleRights: Hashable, Sendable {
    package var role: String
    package var isSuperuser: Bool
    /// It owns `es.events`, or could become who does.
    package var isOwner: Bool
    /// It may write `es.events` or a partition of it without `es.append`.
    package var changesEvents: Bool
    /// What each program's role may do, and no other's.
    package var duties: Set<Duty>

    /// The work of one program in the database.
    package enum Duty: String, Hashable, Sendable, CaseIterable {
        /// Appends events: token-issuer.
        case issuing = "token-issuer"
        /// Moves the relay's cursor: event-relay.
        case publishing = "event-relay"
        /// Writes the read model: revocation-projector.
        case projecting = "revocation-projector"
    }

    /// Puts an answer together.
    package init(
        role: String,
        isSuperuser: Bool = false,
        isOwner: Bool = false,
        changesEvents: Bool = false,
        duties: Set<Duty>
    ) {
        self.role = role
        self.isSuperuser = isSuperuser
        self.isOwner = isOwner
        self.changesEvents = changesEvents
        self.duties = duties
    }

    /// Why no process may use this role for `duty` (Security 10, point 5).
    package func refusal(for duty: Duty) -> StartRefusal? {
        let made = "Use the role that chancery migrate made for \(duty.rawValue)."
        // One is enough: a superuser has every other fault, too.
        if isSuperuser { return refusal("is a superuser", made) }
        if isOwner { return refusal("owns the event log, or can", made) }
        if changesEvents {
            let revoke = "Revoke what chancery migrate did not grant."
            return refusal("may change es.events itself", revoke)
        }
        guard duties.contains(duty) else {
            return refusal("may not do \(duty.rawValue)'s work", made)
        }
        let others = duties.subtracting([duty]).map(\.rawValue).sorted()
        guard others.isEmpty else {
            let own = "Give every program a role of its own. \(made)"
            return refusal("is shared with \(others.joined(separator: " and "))", own)
        }
        return nil
    }

    private func refusal(_ what: String, _ remedy: String) -> StartRefusal {
        StartRefusal("database.user", "\(role) \(what)", remedy)
    }
}

extension Statement where Row == RoleRights {
    static func rights(of roles: [String]) -> Self {
        Statement(PackageResources.role_rights_sql, [.texts(roles)]) {
            row throws(PostgresError) in
            var duties: Set<RoleRights.Duty> = []
            if try row.bool(4) { duties.insert(.issuing) }
            if try row.bool(5) { duties.insert(.publishing) }
            if try row.bool(6) { duties.insert(.projecting) }
            return RoleRights(
                role: try row.text(0),
                isSuperuser: try row.bool(1),
                isOwner: try row.bool(2),
                changesEvents: try row.bool(3),
                duties: duties
            )
        }
    }
}
