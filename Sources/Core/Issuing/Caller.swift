package import Domain
package import OAuth

/// The client that authenticated, and what its request carries for a command.
package struct Caller: Sendable {
    package var project: Project
    package var client: ClientSettings
    /// To be spent in the append that relies on it.
    package var assertion: VerifiedAssertion?
    package var deadline: Deadline
    /// Of the request, for `metadata.correlation`.
    package var correlation: StreamID?

    package init(
        project: Project,
        client: ClientSettings,
        assertion: VerifiedAssertion? = nil,
        deadline: Deadline,
        correlation: StreamID? = nil
    ) {
        self.project = project
        self.client = client
        self.assertion = assertion
        self.deadline = deadline
        self.correlation = correlation
    }

    /// A command of this client.
    package var request: CommandRequest {
        var attributes = EventAttributes(actor: .client(client.id), correlation: correlation)
        attributes.client = client.id
        return CommandRequest(project: project, attributes: attributes, deadline: deadline)
    }
}

extension Work {
    /// The caller as this attempt's configuration has it: it may have been disabled meanwhile.
    ///
    /// Spends the caller's assertion, and guards the configuration (events.md section 8).
    package mutating func admit(_ caller: Caller, _ names: StreamNames)
        async throws(CommandError<OAuthError>) -> ClientSettings
    {
        guard let client = project.enabledClient(caller.client.id) else {
            throw .refused(.invalidClient)
        }
        require(project.configuration)
        if let assertion = caller.assertion { try await spend(assertion, of: client.id, names) }
        return client
    }

    /// Uses up the `jti` of a client assertion, on all nodes, once (wire.md section 6.3).
    package mutating func spend(
        _ assertion: VerifiedAssertion,
        of client: ClientID,
        _ names: StreamNames
    ) async throws(CommandError<OAuthError>) {
        let stream = names.clientAssertion(assertion, of: client, in: project.number)
        var spent = try await loading(Spent.self, stream)
        do {
            try decide(
                .spend(.clientAssertion, expiresAt: assertion.expiresAt.wholeMilliseconds),
                on: &spent
            )
        } catch { throw .refused(.invalidClient) }
    }
}
