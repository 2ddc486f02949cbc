package import Domain

/// What an operator does for a user whose phone is gone: ends a session, removes biometric keys
/// (WireContract 9.7 and 13.3, decision 0173).
///
/// A disabled user's, too: after a theft their keys go before they are enabled.
package struct DeviceAdministration: Sendable {
    private let commands: CommandRunner
    private let sessions: UserSessions
    private let keys: BiometricKeys

    package init(commands: CommandRunner, sealer: any Sealer) {
        self.commands = commands
        sessions = UserSessions(commands: commands, sealer: sealer)
        keys = BiometricKeys(commands: commands, sealer: sealer)
    }

    /// All sessions that a user ever had, or those with `client`, as `SessionList.page` has them.
    ///
    /// - Throws: `.notFound` for a user that the project never had: beside another project's
    ///   settings live sessions would be shown as ended.
    package func sessions(
        of subject: SubjectID,
        after cursor: SessionID?,
        client: ClientID?,
        in project: Project,
        by deadline: Deadline
    ) async throws(OperationError) -> SessionList.Page {
        try await commands.requireKnown(subject, in: project, by: deadline)
        do {
            return try await SessionList(commands).page(
                of: subject,
                after: cursor,
                showing: Set(SessionList.Entry.Status.allCases),
                client: client,
                in: project,
                by: deadline
            )
        } catch { throw .store(error) }
    }

    /// What the apps of one user's sessions said of their phones; nothing when the user is erased.
    package func devices(of entries: [SessionList.Entry], by deadline: Deadline)
        async throws(StoreError) -> [StreamID: DeviceInfo]
    {
        try await sessions.devices(of: entries, by: deadline)
    }

    /// The enabled biometric keys of a user.
    ///
    /// - Throws: `.notFound` for a user that the project never had.
    package func keys(of subject: SubjectID, in project: Project, by deadline: Deadline)
        async throws(OperationError) -> BiometricKeys.List
    {
        try await commands.requireKnown(subject, in: project, by: deadline)
        do {
            return try await keys.shown(of: subject, in: project.number, by: deadline)
        } catch { throw .store(error) }
    }

    /// Ends a session, and what its end ends; of one that has ended already, what is left of it.
    ///
    /// - Returns: what it was until now.
    /// - Throws: `.notFound` when the project has no such session.
    package func end(_ id: SessionID, by order: Order)
        async throws(OperationError) -> SessionList.Entry.Status
    {
        let list = SessionList(commands)
        let entry: SessionList.Entry?
        do throws(StoreError) {
            entry = try await list.entry(id, seenFrom: order.project.number, by: order.deadline)
            if let entry {
                try await SessionEnding(commands: commands).end(
                    entry,
                    grant: .operator,
                    browserSession: .revoked,
                    request: order.request
                )
            }
        } catch { throw .store(error) }
        guard let entry else { throw .notFound }
        return entry.status
    }

    /// Removes a biometric key of a user, and ends the session that it opened.
    ///
    /// - Throws: `.notFound` for a user that the project never had.
    package func removeKey(
        _ kid: String,
        of subject: SubjectID,
        by order: Order
    ) async throws(OperationError) -> BiometricKeys.Removal {
        try await commands.requireKnown(subject, in: order.project, by: order.deadline)
        do {
            return try await keys.remove(kid, of: subject, .operator, request: order.request)
        } catch { throw .store(error) }
    }

    /// What came of the removal of all.
    package struct Removals: Hashable, Sendable {
        /// Keys that this removed.
        package var count = 0
        /// Streams that this program cannot read, of keys or of sessions that they opened: those
        /// keys stay.
        package var unreadable: Set<StreamID> = []
    }

    /// Removes every biometric key of a user, as `removeKey` does one; also those that are set up
    /// meanwhile, until there is none.
    ///
    /// A key that cannot be read or removed keeps no other. After a failure it is to be repeated:
    /// what is removed stays so.
    ///
    /// - Throws: `.notFound` as above.
    package func removeKeys(
        of subject: SubjectID,
        by order: Order
    ) async throws(OperationError) -> Removals {
        try await commands.requireKnown(subject, in: order.project, by: order.deadline)
        var removals = Removals()
        do throws(StoreError) {
            var before: Int
            repeat {
                before = removals.count
                let found = try await keys.enabled(of: subject, by: order.deadline)
                removals.unreadable.formUnion(found.unreadable)
                for key in found.keys {
                    try await remove(key.kid, of: subject, order.request, &removals)
                }
            } while removals.count > before
            // Those that were removed before were not looked at.
            try await commands.confirm(by: order.deadline)
        } catch { throw .store(error) }
        return removals
    }

    private func remove(
        _ kid: String,
        of subject: SubjectID,
        _ request: CommandRequest,
        _ removals: inout Removals
    ) async throws(StoreError) {
        do throws(StoreError) {
            let removal = try await keys.remove(kid, of: subject, .operator, request: request)
            if removal == .removed { removals.count += 1 }
        } catch {
            guard case .corrupt(let stream, _) = error else { throw error }
            removals.unreadable.insert(stream)
        }
    }
}
