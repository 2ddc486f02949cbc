package import Domain

/// A user's biometric keys: read from the log and so exact, and removed (wire.md section 9.5).
package struct BiometricKeys: Sendable {
    /// Keys looked at per user.
    private static let keysMax = 100

    private let commands: CommandRunner
    private let names: StreamNames

    package init(commands: CommandRunner, digester: any Digester) {
        self.commands = commands
        names = StreamNames(digester)
    }

    /// The enabled ones, newest first.
    package func enabled(of subject: SubjectID, by deadline: Deadline)
        async throws(StoreError) -> [BiometricKey.Registration]
    {
        let streams = try await commands.store.streams(
            of: subject,
            kinds: [.biometricKey],
            limit: Self.keysMax,
            by: deadline
        )
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
        do throws(CommandError<Never>) {
            return try await commands.run(request, on: stream) {
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
    }

    private func remove(_ stream: StreamID, of subject: SubjectID, in work: inout Work)
        async throws(StoreError) -> Bool
    {
        var key = try await work.load(BiometricKey.self, stream)
        guard case .enabled(let registration) = key.state, registration.subject == subject else {
            return false
        }
        work.attributes.subject = subject
        // Both states were just looked at: neither command can be refused.
        _ = try? work.decide(.disable(.user), on: &key)
        if let session = registration.session {
            var grant = try await work.load(OfflineGrant.self, session.stream)
            if case .open = grant.state {
                _ = try? work.decide(.revoke(.keyDisabled), on: &grant)
            }
        }
        return true
    }
}
