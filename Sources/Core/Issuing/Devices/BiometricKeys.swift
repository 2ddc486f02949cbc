package import Domain

/// A user's biometric keys: read from the log and so exact, and removed (wire.md section 9.5).
package struct BiometricKeys: Sendable {
    /// Enabled keys per user; one more is not set up.
    package static let enabledMax = 50
    /// Keys per user that ever were, so that a look at all of them ends.
    static let everMax = 1000

    private let commands: CommandRunner
    private let names: StreamNames
    private let sealer: any Sealer

    package init(commands: CommandRunner, digester: any Digester, sealer: any Sealer) {
        self.commands = commands
        self.sealer = sealer
        names = StreamNames(digester)
    }

    /// The enabled ones, newest first.
    package func enabled(of subject: SubjectID, by deadline: Deadline)
        async throws(StoreError) -> [BiometricKey.Registration]
    {
        try await enabled(streams(of: subject, by: deadline), by: deadline)
    }

    /// What the app said of its phone when it set the key up; nil for nothing.
    package func device(
        of key: BiometricKey.Registration,
        in project: ProjectNumber,
        by deadline: Deadline
    ) async throws(StoreError) -> DeviceInfo? {
        try await sealer.deviceInfo(
            key.device,
            on: names.biometricKey(key.kid, in: project),
            of: key.subject,
            by: deadline
        )
    }

    /// Whether the user may have one key more; two setups at once may both be told so.
    func hasRoom(for subject: SubjectID, by deadline: Deadline) async throws(StoreError) -> Bool {
        let streams = try await streams(of: subject, by: deadline)
        guard streams.count >= Self.enabledMax else { return true }
        guard streams.count < Self.everMax else { return false }
        return try await enabled(streams, by: deadline).count < Self.enabledMax
    }

    private func streams(of subject: SubjectID, by deadline: Deadline)
        async throws(StoreError) -> [StreamID]
    {
        try await commands.store.streams(
            of: subject,
            kinds: [.biometricKey],
            limit: Self.everMax,
            by: deadline
        )
    }

    private func enabled(_ streams: [StreamID], by deadline: Deadline)
        async throws(StoreError) -> [BiometricKey.Registration]
    {
        var keys: [BiometricKey.Registration] = []
        for stream in streams {
            let key = try await commands.store.loadCurrent(
                BiometricKey.self,
                stream,
                by: deadline
            )
            if case .enabled(let registration) = key.state { keys.append(registration) }
        }
        return keys.sorted { $0.enabledAt > $1.enabledAt }
    }

    /// Ends a key and the session it opened, in one append; false when the user has no such key.
    package func remove(_ kid: String, of subject: SubjectID, request: CommandRequest)
        async throws(StoreError) -> Bool
    {
        let stream = names.biometricKey(kid, in: request.project.number)
        let removed: (key: BiometricKey.Registration, isNow: Bool)?
        do throws(CommandError<Never>) {
            removed = try await commands.run(request.ending, on: stream) {
                (work: inout Work) async throws(CommandError<Never>) in
                do throws(StoreError) {
                    return try await remove(stream, of: subject, in: &work)
                } catch {
                    throw .store(error)
                }
            }
        } catch {
            switch error {
            case .store(let why): throw why
            }
        }
        guard let removed else { return false }
        // Of one that was removed before, too: who repeats a request finishes its work.
        if let session = removed.key.session {
            try await SessionEnding(commands: commands).cascade(from: session, request: request)
        }
        return removed.isNow
    }

    private func remove(_ stream: StreamID, of subject: SubjectID, in work: inout Work)
        async throws(StoreError) -> (key: BiometricKey.Registration, isNow: Bool)?
    {
        var key = try await work.load(BiometricKey.self, stream)
        let registration: BiometricKey.Registration
        switch key.state {
        case .absent, .claimed: return nil
        case .enabled(let enabled): registration = enabled
        case .disabled(let disabled):
            guard disabled.subject == subject else { return nil }
            return (disabled, false)
        }
        guard registration.subject == subject else { return nil }
        work.attributes.subject = subject
        // Both states were just looked at: neither command can be refused.
        _ = try? work.decide(.disable(.user), on: &key)
        if let session = registration.session {
            var grant = try await work.load(OfflineGrant.self, session.stream)
            if case .open = grant.state {
                _ = try? work.decide(.revoke(.keyDisabled), on: &grant)
            }
        }
        return (registration, true)
    }
}
