package import Domain
internal import InMemory
package import Issuing
package import OAuth

/// A browser with its cookies, walking through a sign-in.
package struct TestBrowser: Sendable {
    package let side: SignInSide
    package var transaction: OpaqueToken?
    package var session: OpaqueToken?
    package var agent =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1"
    package var place: PlaceName?
    package var address = NetworkAddress(limitKey: [192, 0, 2, 7], network: "192.0.2.0/24")

    package init(_ side: SignInSide) { self.side = side }

    package var request: BrowserRequest {
        BrowserRequest(
            project: side.project,
            deadline: Fixture.noDeadline,
            transactions: transaction.map { [$0] } ?? [],
            session: session,
            address: address,
            userAgent: agent,
            place: place
        )
    }

    /// Keeps the cookies of an answer.
    @discardableResult
    package mutating func take(_ answer: SignInAnswer) -> SignInStep {
        for cookie in answer.cookies {
            switch cookie {
            case .transaction(let token): transaction = token
            case .session(let token, _): session = token
            case .endSession: session = nil
            case .accessToken, .endAccessToken, .appSession, .endAppSessions: break
            }
        }
        return answer.step
    }

    /// The parameters of a good request of `client`.
    package static func parameters(_ client: String = "web") -> [String: String] {
        [
            "client_id": client, "redirect_uri": SignInSide.redirectURI(of: client),
            "response_type": "code", "scope": "openid offline_access",
            "state": SignInSide.state, "code_challenge": SignInSide.challenge,
            "code_challenge_method": "S256",
        ]
    }

    /// Opens the authorization endpoint; nil takes a parameter away.
    package mutating func authorize(_ client: String = "web", _ changes: [String: String?] = [:])
        async throws -> SignInStep
    {
        var parameters = Self.parameters(client)
        for (name, value) in changes { parameters[name] = value }
        return take(try await side.authorize.start(Self.form(parameters), request))
    }

    package static func form(_ parameters: [String: String]) -> Form {
        Form(
            fields: parameters.map {
                Form.Field(name: Array($0.key.utf8), value: Array($0.value.utf8))
            }
        )
    }

    package func posted(_ id: StreamID, _ token: [UInt8]) -> SignInContext.Posted {
        SignInContext.Posted(request: id, token: token)
    }

    /// Posts the address on the login page of `step`.
    package mutating func enter(_ address: String, at step: SignInStep)
        async throws -> StreamID
    {
        guard case .login(let id) = step else { throw Fixture.Malformed() }
        let page = try Fixture.some(try await side.pages.login(id, request))
        let answer = try await side.links.request(
            posted(id, page.formToken),
            address: Array(address.utf8),
            request
        )
        guard case .waiting(id) = take(answer) else { throw Fixture.Malformed() }
        return id
    }

    /// Opens a link of the newest mail.
    package func presented() async throws -> ApproveLoginLink.Presented {
        // A row that nothing stands behind stays for a minute.
        var before: Int
        repeat {
            before = side.mailQueue.due.count
            _ = try await side.mails.run(by: Fixture.noDeadline)
        } while side.mailQueue.due.count < before
        let link = try Fixture.some(side.mailQueue.sent.last).link
        let parts = link.split(separator: "/")
        let query = try Fixture.some(parts.last?.split(separator: "=").last)
        return ApproveLoginLink.Presented(token: Array(query.utf8), client: Array(parts[3].utf8))
    }

    /// Presses the button on the page behind the newest mail's link.
    package func approve(number: Int? = nil) async throws {
        try await side.approval.approve(
            try await presented(),
            by: .browser,
            number: number,
            request
        )
    }

    /// Presses "Continue" on the waiting page.
    package mutating func complete(_ id: StreamID) async throws -> SignInStep {
        let page = try await side.pages.waiting(id, request)
        return take(try await side.completion.complete(posted(id, page.completeToken), request))
    }

    /// The whole sign-in of `address` at `client`.
    package mutating func signIn(
        _ address: String = SignInSide.address,
        at client: String = "web",
        _ changes: [String: String?] = [:]
    ) async throws -> SignInStep {
        let step = try await authorize(client, changes)
        let id = try await enter(address, at: step)
        try await approve()
        return try await complete(id)
    }
}

extension SignInStep {
    /// The parameters that go back to the client; nil for a step to a page.
    package var response: [String: String]? {
        guard case .respond(let response) = self else { return nil }
        return Dictionary(
            response.parameters.map { ($0.name, $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
