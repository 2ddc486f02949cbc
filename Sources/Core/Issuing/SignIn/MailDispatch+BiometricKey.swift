internal import Domain

extension MailDispatch {
    /// Tells a user that a key was added, also when it has been removed since: whoever added it
    /// may have used it.
    ///
    /// A row of a setup that lost against another names a mail that the key's event does not
    /// know: one key, one mail.
    func deliver(
        _ due: DueMail,
        about key: StreamID,
        _ mail: StreamID,
        by deadline: Deadline
    ) async throws(StoreError) -> Delivery {
        let store = context.commands.store
        let loaded = try await store.loadCurrent(BiometricKey.self, key, by: deadline)
        guard let registration = loaded.seen(from: due.project).state.registration else {
            return try await awaitAppend(of: due, by: deadline)
        }
        let project = try await context.commands.project(due.project, by: deadline)
        guard registration.mail == mail,
            let mail = try await self.mail(about: registration, key, in: project, by: deadline)
        else { return try await drop(due, by: deadline) }
        return try await send(.biometricKey(mail), due, by: deadline) { _ in }
    }

    /// The mail; nil for a user who is disabled or erased.
    private func mail(
        about registration: BiometricKey.Registration,
        _ key: StreamID,
        in project: Project,
        by deadline: Deadline
    ) async throws(StoreError) -> BiometricKeyMail? {
        let subject = registration.subject
        guard let email = try await context.email(of: subject, in: project.number, by: deadline)
        else { return nil }
        let info = try await context.sealer.deviceInfo(
            registration.device,
            on: key,
            of: subject,
            by: deadline
        )
        return BiometricKeyMail(
            to: email,
            projectName: project.settings.name,
            clientName: project.name(of: registration.client),
            addedAt: registration.enabledAt,
            settingsLink: "\(project.issuer)/settings",
            device: info?.device,
            application: info?.application
        )
    }
}
