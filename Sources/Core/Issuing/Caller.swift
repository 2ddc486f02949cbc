package import Domain
package import OAuth

/// The client that authenticated, and what its request carries for a command.
package struct Caller: Sendable {
    package var project: Project
    private(set) var sharedClient: Shared<ClientSettings>
    /// To be spent in the append that relies on it.
    package var assertion: VerifiedAssertion?
    /// An access token in `Authorization`, where it does not prove a client.
    package var accessToken: AccessProofs.Presented?
    /// What the request brought to prove a key with, unread.
    package var proofRequest: DPoPProofs.Request?
    /// As above, read: the token endpoint fills it in.
    package var proof: DPoPProofs.Proof?
    /// Whose the key is that the proof shows: the caller's, or that of the owner of what it brings
    /// (decision 0048).
    package var showsOwnKey = true
    /// What was wrong with a proof that is not, or may not be, about the caller's own tokens.
    package var unreadableProof: OAuthError?
    /// What the app says of its phone: the token endpoint fills it in.
    package var device: DeviceInfo?
    package var deadline: Deadline
    /// Of the request, for the metadata of events.
    package var correlation: Correlation?

    package init(
        project: Project,
        client: Shared<ClientSettings>,
        assertion: VerifiedAssertion? = nil,
        accessToken: AccessProofs.Presented? = nil,
        proofRequest: DPoPProofs.Request? = nil,
        deadline: Deadline,
        correlation: Correlation? = nil
    ) {
        self.project = project
        sharedClient = client
        self.assertion = assertion
        self.accessToken = accessToken
        self.proofRequest = proofRequest
        self.deadline = deadline
        self.correlation = correlation
    }

    /// Its settings, read where they are: `get` would hand out a copy, for each member asked.
    ///
    /// So large that their address is yielded; smaller values take a frame of `malloc`'s for it.
    package var client: ClientSettings { _read { yield sharedClient.value } }

    /// The same caller by the settings of a newer configuration.
    func with(_ client: Shared<ClientSettings>) -> Caller {
        var caller = self
        caller.sharedClient = client
        return caller
    }

    /// The key that access tokens of this request are bound to (`dpop_bound_access_tokens`).
    var confirmation: Thumbprint? { client.dpop == .bound ? proof?.key : nil }

    /// The key that a refresh-token family born in this request is bound to.
    ///
    /// A confidential client proves itself otherwise (RFC 9449 section 5).
    var familyKey: Thumbprint? { client.authenticationMethod == .none ? proof?.key : nil }

    /// The key this request shows for what is bound to `key`.
    ///
    /// An owner without DPoP is never asked for a proof (WireContract 6.4), not even for what
    /// was bound before its settings said so: its app has no key to show any more.
    func shownKey(for key: Thumbprint?, whoseOwnerHas dpop: ClientSettings.DPoP?) -> Thumbprint? {
        dpop == .disabled ? key : proof?.key
    }

    /// A command of this client.
    package var request: CommandRequest { request(by: client.id) }

    /// A command of the client that acts, where it asks by this one's name.
    func request(by actor: ClientID) -> CommandRequest {
        var attributes = EventAttributes(actor: .client(actor), correlation: correlation)
        attributes.client = actor
        return CommandRequest(project: project, attributes: attributes, deadline: deadline)
    }
}

extension Work {
    /// The caller as this attempt's configuration has it: it may have been disabled meanwhile, or
    /// have other credentials.
    ///
    /// Spends the caller's assertion and its own proof, and guards the configuration (Events 8).
    package mutating func admit(_ caller: Caller)
        async throws(CommandError<OAuthError>) -> Shared<ClientSettings>
    {
        let id = caller.client.id
        guard let client = project.enabledClient(id) else {
            throw .refused(OAuthError(about: id, in: project))
        }
        guard project === caller.project || client.value.asksTheSame(as: caller.client) else {
            throw .refused(.otherSettings)
        }
        require(project.configuration)
        if let assertion = caller.assertion { try await spend(assertion, of: id) }
        if caller.showsOwnKey, let proof = caller.proof {
            try await spend(proof.use, refused: .usedProof)
        }
        return client
    }

    /// Names who acts, whose it is and where: the client of a token that was shown.
    mutating func act(as client: ClientID, for subject: SubjectID, in session: SessionID) {
        attributes.actor = .client(client)
        attributes.client = client
        attributes.subject = subject
        attributes.session = session
    }

    /// Uses up a proof that is about what `owner` has, or refuses one that is not right.
    ///
    /// Of an owner without DPoP it is passed over, as its own requests' are (decision 0048).
    mutating func admitProof(of owner: ClientSettings?, _ caller: Caller)
        async throws(CommandError<OAuthError>)
    {
        guard owner?.dpop != .disabled else { return }
        // It was read without knowing whose it is.
        if owner?.dpop == .bound, let proof = caller.proof, proof.isAhead(of: now) {
            throw .refused(.mistimedProof)
        }
        // A caller without DPoP is refused where the owner needs the key, and not before.
        if let error = caller.unreadableProof, caller.client.dpop != .disabled {
            throw .refused(error)
        }
        if let proof = caller.proof { try await spend(proof.use, refused: .usedProof) }
    }

    /// Uses up the `jti` of a client assertion, on all nodes, once (WireContract 6.3).
    package mutating func spend(_ assertion: VerifiedAssertion, of client: ClientID)
        async throws(CommandError<OAuthError>)
    {
        let use = SingleUse(
            purpose: .clientAssertion,
            stream: names.clientAssertion(assertion, of: client, in: project.number),
            expiresAt: assertion.expiresAt.wholeMilliseconds
        )
        try await spend(use, refused: .invalidClient)
    }
}

extension CommandRunner {
    /// Uses up a client assertion by itself, for a request that records nothing else.
    ///
    /// - Throws: `invalid_client` for one that was used; `temporarily_unavailable`.
    func spend(
        _ assertion: VerifiedAssertion,
        of client: ClientID,
        _ request: CommandRequest
    ) async throws(OAuthError) {
        let stream = names.clientAssertion(assertion, of: client, in: request.project.number)
        do {
            try await run(request.ending, on: stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                try await work.spend(assertion, of: client)
            }
        } catch { throw OAuthError(error) }
    }
}

extension ClientSettings {
    /// Whether a request that the settings `before` let in is let in by these, too: it had to prove
    /// the same, may do the same, and had to show the same key.
    func asksTheSame(as before: ClientSettings) -> Bool {
        authenticationMethod == before.authenticationMethod && secretDigests == before.secretDigests
            && keys == before.keys && grantTypes == before.grantTypes && dpop == before.dpop
    }
}

extension OAuthError {
    /// The settings that let the request in were replaced: credentials may have been taken back.
    static var otherSettings: Self {
        Self(.temporarilyUnavailable, "try again", cause: "the client's settings have changed")
    }
}
