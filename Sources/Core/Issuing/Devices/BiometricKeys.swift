package import Domain

/// A user's biometric keys: read from the log and so exact, and removed (WireContract 9.5).
package struct BiometricKeys: Sendable {
    /// Enabled keys per user; one more takes the place of another of its client (decision 0232).
    package static let enabledMax = 50
    /// Keys added per user in 24 hours, each with a mail to them (decision 0085).
    package static let perDayMax = 10
    private static let dayMilliseconds: Int64 = 86_400_000

    private let commands: CommandRunner
    private let sealer: any Sealer

    package init(commands: CommandRunner, sealer: any Sealer) {
        self.commands = commands
        self.sealer = sealer
    }

    /// A key, and what the app said of its phone when it set the key up; nil for nothing.
    package typealias Shown = (key: BiometricKey.Registration, device: DeviceInfo?)

    /// The enabled keys of a user.
    package struct List: Sendable {
        /// Newest first.
        package var keys: [Shown]
        /// Streams that this program cannot read: whatever their keys are, none logs in here.
        package var unreadable: [StreamID]
    }

    /// All that can be read: one damaged stream hides no other key.
    package func shown(
        of subject: SubjectID,
        in project: ProjectNumber,
        by deadline: Deadline
    ) async throws(StoreError) -> List {
        let names = commands.names
        let (keys, unreadable) = try await enabled(of: subject, by: deadline)
        let sealed: [StreamID: Sealed] = keys.reduce(into: [:]) {
            $0[names.biometricKey($1.kid, in: project)] = $1.device
        }
        let devices = try await sealer.deviceInfos(sealed, of: subject, by: deadline)
        return List(
            keys: keys.map { ($0, devices[names.biometricKey($0.kid, in: project)]) },
            unreadable: unreadable
        )
    }

    /// As above, without their phones.
    package func enabled(of subject: SubjectID, by deadline: Deadline)
        async throws(StoreError) -> (keys: [BiometricKey.Registration], unreadable: [StreamID])
    {
        let (states, unreadable) = try await commands.store.readableStates(
            BiometricKey.self,
            of: open(of: subject, by: deadline),
            by: deadline
        )
        let keys = states.values.compactMap { state -> BiometricKey.Registration? in
            guard case .enabled(let registration) = state else { return nil }
            return registration.value
        }
        return (keys.sorted { $0.enabledAt > $1.enabledAt }, Array(unreadable.keys))
    }

    /// Whether a user may have one key more; two nodes at once may both be told so.
    enum Room: Hashable, Sendable {
        case free
        /// As many as may be enabled are: their streams, newest first.
        case full([StreamID])
        /// As many as may be added in a day were; so many seconds until the next one may.
        case tomorrow(seconds: Int)
    }

    /// As `Room` says; what is added and removed again counts as added.
    func room(for subject: SubjectID, by deadline: Deadline) async throws(StoreError) -> Room {
        let newest = try await commands.store.opened(
            for: subject,
            kinds: [.biometricKey],
            before: nil,
            limit: Self.perDayMax,
            by: deadline
        )
        if newest.count == Self.perDayMax,
            let added = try await oldest(of: newest, by: deadline)
        {
            let age = commands.clock.now.millisecondsSince(added)
            if age < Self.dayMilliseconds {
                return .tomorrow(seconds: Int((Self.dayMilliseconds - age + 999) / 1000))
            }
        }
        let streams = try await self.open(of: subject, by: deadline)
        return streams.count < Self.enabledMax ? .free : .full(streams)
    }

    /// When the oldest of these was added; in the place of one that cannot be read, the next one.
    private func oldest(of keys: [OpenedStream], by deadline: Deadline)
        async throws(StoreError) -> Instant?
    {
        for opened in keys.reversed() {
            do throws(StoreError) {
                let key = try await commands.store.loadCurrent(
                    BiometricKey.self,
                    opened.stream,
                    by: deadline
                )
                return key.state.registration?.enabledAt
            } catch {
                guard case .corrupt = error else { throw error }
            }
        }
        return nil
    }

    /// Which of these keys may give way: those of the client that can be read and would not end
    /// `session`, the one that has been unused longest first.
    ///
    /// Apps give their keys up without a word: such a key is never used again.
    func idle(
        of streams: [StreamID],
        at client: ClientID,
        in session: SessionID,
        by deadline: Deadline
    ) async throws(StoreError) -> [StreamID] {
        let (states, _) = try await commands.store.readableStates(
            BiometricKey.self,
            of: streams,
            by: deadline
        )
        // The oldest first: of two that are unused equally long that one gives way.
        let idle = streams.reversed().compactMap { stream -> (stream: StreamID, since: Instant)? in
            guard case .enabled(let shared)? = states[stream], shared.value.client == client,
                shared.value.session != session
            else { return nil }
            return (stream, shared.value.lastUsedAt ?? shared.value.enabledAt)
        }
        return idle.sorted { $0.since < $1.since }.map { $0.stream }
    }

    /// The streams of those that nothing has disabled, `enabledMax` at most.
    private func open(of subject: SubjectID, by deadline: Deadline)
        async throws(StoreError) -> [StreamID]
    {
        var streams: [StreamID] = []
        try await commands.store.eachStream(of: subject, [.biometricKey], by: deadline) {
            (opened: OpenedStream) async throws(StoreError) in
            if !opened.isOver { streams.append(opened.stream) }
            return streams.count < Self.enabledMax
        }
        return streams
    }

    /// What came of a removal.
    package enum Removal: Hashable, Sendable {
        case removed
        /// It had been already.
        case removedBefore
        /// The user never had such a key.
        case unknown
    }

    /// Ends a key and the session it opened, in one append.
    package func remove(
        _ kid: String,
        of subject: SubjectID,
        _ reason: BiometricKey.DisableReason,
        request: CommandRequest
    ) async throws(StoreError) -> Removal {
        let stream = commands.names.biometricKey(kid, in: request.project.number)
        let removed = try await commands.runUnrefused(request.ending, on: stream) {
            (work: inout Work) async throws(StoreError) in
            try await work.removeBiometricKey(stream, of: subject, reason)
        }
        guard let removed else { return .unknown }
        // Of one that was removed before, too: who repeats a request finishes its work.
        if let session = removed.key.session {
            await commands.cascade(from: session, request)
        }
        return removed.isNow ? .removed : .removedBefore
    }
}

extension Work {
    /// Ends a key of the user and the session that it opened; nil for one that is nobody's, or
    /// somebody else's.
    ///
    /// Where either cannot be read nothing is decided: the work may go on with another key.
    mutating func removeBiometricKey(
        _ stream: StreamID,
        of subject: SubjectID,
        _ reason: BiometricKey.DisableReason
    ) async throws(StoreError) -> (key: BiometricKey.Registration, isNow: Bool)? {
        var key = try await load(BiometricKey.self, stream)
        let registration: BiometricKey.Registration
        switch key.state {
        case .absent, .claimed: return nil
        case .enabled(let enabled): registration = enabled.value
        case .disabled(let disabled):
            guard disabled.value.subject == subject else { return nil }
            return (disabled.value, false)
        }
        guard registration.subject == subject else { return nil }
        var grant: Loaded<OfflineGrant>?
        if let session = registration.session {
            grant = try await load(OfflineGrant.self, session.stream)
        }
        attributes.subject = subject
        // Both states were just looked at: neither command can be refused.
        _ = try? decide(.disable(reason), on: &key)
        if var grant, case .open = grant.state {
            _ = try? decide(.revoke(.keyDisabled), on: &grant)
        }
        return (registration, true)
    }
}
