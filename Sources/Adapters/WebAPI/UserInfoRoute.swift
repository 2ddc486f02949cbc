internal import HTTPServer
internal import Domain
package import Issuing
internal import OAuth

/// `GET` and `POST /oauth2/userinfo` (OpenID Connect Core section 5.3, WireContract 9.1).
package struct UserInfoRoute: Route {
    package static var paths: [String] { ["/oauth2/userinfo"] }
    package static var methods: [Method] { [.get, .post] }
    package static var crossOrigin: CrossOrigin { .clients }

    private let userInfo: UserInfo
    private let failures: FailureLimits

    package init(userInfo: UserInfo, limits: RequestLimits) {
        self.userInfo = userInfo
        failures = FailureLimits(limits)
    }

    package func respond(to request: Request, in project: Project) async -> Response {
        await answer(request, in: project).renewing(userInfo.nonce(in: project))
    }

    private func answer(_ request: Request, in project: Project) async -> Response {
        do throws(OAuthError) {
            try failures.admit(request)
            let claims = try await userInfo.claims(
                for: try presented(request, in: project),
                in: project,
                by: request.deadline
            )
            return .json(claims.render())
        } catch {
            failures.record(error, request, in: project)
            return .oauth(error)
        }
    }

    /// As the caller sent it; a form has no scheme, so what it carries counts as `Bearer`.
    private func presented(_ request: Request, in project: Project)
        throws(OAuthError) -> AccessProofs.Presented
    {
        let isDPoP = request.credentials("dpop") != nil
        return AccessProofs.Presented(
            token: try token(of: request),
            scheme: isDPoP ? .dpop : .bearer,
            request: request.proof(in: project)
        )
    }

    /// From the header, or from a posted form (RFC 6750 sections 2.1, 2.2); never from the query.
    private func token(of request: Request) throws(OAuthError) -> [UInt8] {
        guard request.method != .post || request.query.isEmpty else {
            throw OAuthError(.invalidRequest, "parameters in the query are not accepted")
        }
        let bearer = request.credentials("bearer") ?? request.credentials("dpop")
        var posted: [UInt8]?
        if request.method == .post, !request.body.isEmpty {
            guard request.isSent(as: .form) else {
                throw OAuthError(.invalidRequest, "request content type is invalid")
            }
            do {
                posted = try RequestParameters(Form(parsing: request.body)).optional("access_token")
            } catch let error as OAuthError {
                throw error
            } catch {
                throw OAuthError(
                    .invalidRequest,
                    "request body is malformed",
                    cause: "\(error)"
                )
            }
        }
        switch (bearer, posted) {
        case (.some, .some):
            throw OAuthError(.invalidRequest, "more than one access token")
        case (let token?, nil), (nil, let token?): return token
        case (nil, nil): throw .noToken
        }
    }
}

extension UserInfo.Claims {
    /// The members that are the same for every user.
    private static let same: [UInt8] = {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("https://authgear.com/claims/user/is_anonymous", false)
            writer.member("https://authgear.com/claims/user/is_verified", true)
            writer.member("https://authgear.com/claims/user/can_reauthenticate", true)
            writer.member("https://authgear.com/claims/user/roles", [])
            writer.member("custom_attributes", [:])
            writer.member("x_web3", [:])
            // There are no passwords. Newer SDKs fail without the member (decision 0231).
            writer.member("https://authgear.com/claims/user/has_primary_password", false)
        }
        return Array(writer.bytes.dropFirst().dropLast())
    }()

    /// The body: the first members always, the rest by scope.
    fileprivate func render() -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.member("sub", subject)
            writer.rendered(Self.same)
            if let email {
                writer.name("email")
                writer.string(String(decoding: email.bytes, as: UTF8.self))
                writer.member("email_verified", emailVerified)
            }
            if let updatedAt { writer.member("updated_at", updatedAt) }
        }
        return writer.bytes
    }
}
