package import Domain
package import OAuth

extension OAuthError {
    /// One answer for missing, unknown, disabled and unproven clients.
    package static var invalidClient: Self {
        Self(.invalidClient, "client authentication failed", refusal: "CL-001")
    }

    /// The answer to any request to a suspended project (decision 0201).
    ///
    /// Not 400, nor `invalid_grant`: SDKs give their sessions up by those, and theirs go on later.
    package static var suspendedProject: Self {
        Self(
            .unauthorizedClient,
            "the project is suspended: try again later",
            refusal: "PJ-001",
            status: 403
        )
    }

    /// Whether it says that the project is suspended, and nothing of who asked.
    package var isOfSuspendedProject: Bool {
        code == .unauthorizedClient && status == Self.suspendedProject.status
    }

    /// What is answered about a client that is not enabled: nothing final about one that this node
    /// may only lack (decision 0156), nor about one that is suspended with its project.
    package init(about client: ClientID, in project: Project, _ refusal: Self = .invalidClient) {
        if project.isSuspended {
            self = .suspendedProject
        } else {
            self = project.mayLack(client) ? Self(StoreError.unavailable) : refusal
        }
    }

    /// What a caller hears when the log did not answer; never "it did not happen".
    package init(_ error: StoreError) {
        switch error {
        case .conflict, .unavailable:
            self.init(.temporarilyUnavailable, "try again", cause: "\(error)", refusal: "ST-001")
        case .outcomeUnknown:
            self.init(.temporarilyUnavailable, "try again", cause: "\(error)", refusal: "ST-002")
        case .corrupt:
            self.init(.temporarilyUnavailable, "try again", cause: "\(error)", refusal: "ST-003")
        }
    }

    /// As above, or what a use case refused.
    package init(_ error: CommandError<OAuthError>) {
        switch error {
        case .refused(let refusal): self = refusal
        case .store(let why): self.init(why)
        }
    }

    /// As above for signing.
    package init(_ error: SigningError) {
        self.init(.serverError, "try again later", cause: "\(error)", refusal: "SG-001")
    }
}

extension EnvelopeError {
    /// As the same of `OAuthError`, by the identifier: other refusals have the reason, too.
    package var isOfSuspendedProject: Bool { refusal.map { "\($0)" } == "PJ-001" }
}
