package import Domain

extension ProjectHistory {
    /// What was done to a signing key: by whom, when and why.
    package struct KeyChange: Hashable, Sendable {
        package var at: Instant
        package var operatorName: String?
        package var reason: String?
        /// What the key has been from then on.
        package var standing: Standing
    }

    /// As keys are listed.
    package enum Standing: String, Hashable, Sendable {
        case staged, current, previous, removed, compromised
    }

    /// The newest 200 changes of the project's keys by their `kid`, each key's oldest first.
    package func keyChanges(of project: Project, by deadline: Deadline)
        async throws(OperationError) -> [String: [KeyChange]]
    {
        let found: [OperatorChange]
        do throws(StoreError) {
            found = try await changes.changes(
                of: project.keysStream,
                before: nil,
                limit: Self.versionsMax,
                by: deadline
            )
        } catch { throw .store(error) }
        return found.reversed().reduce(into: [:]) { changes, change in
            guard case .signingKey(let event) = change.event else { return }
            let (kid, standing) = event.outcome
            changes[kid, default: []].append(
                KeyChange(
                    at: change.at,
                    operatorName: change.operatorName,
                    reason: change.reason,
                    standing: standing
                )
            )
        }
    }
}

extension SigningKeyRing.Event {
    fileprivate var outcome: (kid: String, standing: ProjectHistory.Standing) {
        switch self {
        case .staged(let kid, _, _, _): (kid, .staged)
        case .promoted(let kid, _): (kid, .current)
        case .retired(let kid, _): (kid, .previous)
        case .removed(let kid): (kid, .removed)
        case .compromised(let kid, _): (kid, .compromised)
        }
    }
}
