package import Domain
internal import OAuth

/// A request of a person's browser: where it arrived and what its cookies say.
package struct BrowserRequest: Sendable {
    package var project: Project
    package var deadline: Deadline
    /// Of the request, for the metadata of events.
    package var correlation: Correlation?
    /// `__Host-chancery_tx_…`: the binding secrets of this browser, each with the newest
    /// authorization that asked for a mail by it.
    ///
    /// More than one when it began several requests before it had any (decision 0158).
    package var transactions: [OpaqueToken]
    /// `__Host-chancery_session`.
    package var session: OpaqueToken?
    /// `__Host-chancery_app_session` and `__Host-chancery_settings`, as their MACs say they were
    /// made; each may have expired.
    package var appSessions: [AppSession]
    /// The address: limits count by it; it is in no event.
    package var address: NetworkAddress
    package var userAgent: String
    /// Where a trusted proxy says that it is.
    package var place: PlaceName?

    package init(
        project: Project,
        deadline: Deadline,
        correlation: Correlation? = nil,
        transactions: [OpaqueToken] = [],
        session: OpaqueToken? = nil,
        appSessions: [AppSession] = [],
        address: NetworkAddress,
        userAgent: String = "",
        place: PlaceName? = nil
    ) {
        self.project = project
        self.deadline = deadline
        self.correlation = correlation
        self.transactions = transactions
        self.session = session
        self.appSessions = appSessions
        self.address = address
        self.userAgent = userAgent
        self.place = place
    }

    /// The secret that a request of this browser is bound by; nil for another browser's.
    package func binding(_ digest: TokenDigest) -> OpaqueToken? {
        transactions.first { $0.digest == digest }
    }

    /// What a form may have been shown to: any of the secrets, or a browser that had none.
    package var bindings: [TokenDigest?] {
        transactions.isEmpty ? [nil] : transactions.map(\.digest)
    }

    /// What an app let this browser in by, of that kind: the other kind opens nothing there.
    package func appSession(_ kind: AppSession.Origin) -> AppSession? {
        appSessions.first { $0.origin == kind }
    }

    /// The cookies of what an app let this browser in by go with a login of its own.
    var endOfApp: [CookieChange] {
        appSessions.isEmpty ? [] : [.endAppSessions, .endAccessToken]
    }

    /// A command given through this browser before anybody has logged in.
    func command(client: ClientID? = nil) -> CommandRequest {
        var attributes = EventAttributes(actor: .system, correlation: correlation)
        if let client {
            attributes.actor = .client(client)
            attributes.client = client
        }
        return CommandRequest(project: project, attributes: attributes, deadline: deadline)
    }
}

extension BrowserRequest {
    /// The same, with the keys that the log has when its `id_token_hint` is by one that this node
    /// has not heard of (decision 0052).
    func knowingHint(of form: Form, by tokens: TokenVerifier)
        async throws(AuthorizationRefusal) -> Self
    {
        // Of what is refused anyway, or not read, nobody asks the log.
        guard !AuthorizationRequestReader.isReference(form),
            let name = form.single("client_id").flatMap({ ClientID($0) }),
            project.enabledClient(name) != nil
        else { return self }
        var known = self
        do throws(OAuthError) {
            known.project = try await tokens.project(
                project,
                knowing: form.single("id_token_hint"),
                by: deadline
            )
        } catch { throw .page(error) }
        return known
    }
}
