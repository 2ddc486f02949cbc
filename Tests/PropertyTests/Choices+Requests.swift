import Domain
import TestSupport

/// The larger values of commands and events; times of birth are given, for they go into columns.
extension Choices {
    mutating func request(subject: SubjectID?, at: Instant) -> LoginLink.Request {
        LoginLink.Request(
            authorization: stream(),
            client: client(),
            email: sealed(),
            device: maybe { $0.sealed() },
            place: maybe { $0.sealed() },
            subject: subject,
            initiator: digest(),
            mode: any(LoginLink.Mode.self),
            number: integer(0...99),
            requestedAt: at,
            expiresAt: wholeInstant()
        )
    }

    mutating func authorizationRequest(at: Instant) -> AuthorizationRequest {
        AuthorizationRequest(
            client: client(),
            redirectURI: redirectURI(),
            redirectURIGiven: bool(),
            responseType: any(AuthorizationRequest.ResponseType.self),
            responseMode: any(AuthorizationRequest.ResponseMode.self),
            scope: scope(),
            state: maybe { $0.text() },
            nonce: maybe { $0.text() },
            codeChallenge: maybe { CodeChallenge(digest: $0.digest()) },
            prompt: Set(AuthorizationRequest.Prompt.allCases.filter { _ in bool() }),
            maxAge: maybe { $0.integer(0...9_999_999_999) },
            loginHint: maybe { $0.sealed() },
            resources: texts(),
            dpopKey: maybe { $0.key() },
            sso: bool(),
            expectedSubject: maybe { $0.subject() },
            renews: maybe { $0.session() },
            colorScheme: maybe { $0.any(AuthorizationRequest.ColorScheme.self) },
            startedAt: at,
            expiresAt: wholeInstant()
        )
    }

    mutating func browserSession(subject: SubjectID, at: Instant) -> BrowserSession.Session {
        BrowserSession.Session(
            subject: subject,
            authentication: authentication(),
            cookie: digest(),
            parent: parent(),
            openedAt: at,
            expiresAt: wholeInstant(),
            idleMilliseconds: integer(0...9000)
        )
    }

    mutating func ticket(subject: SubjectID) -> AuthorizationCode.Ticket {
        let via = any(AuthorizationCode.Via.self)
        return AuthorizationCode.Ticket(
            client: client(),
            redirectURI: redirectURI(),
            redirectURIGiven: bool(),
            scope: scope(),
            resources: texts(),
            secret: digest(),
            codeChallenge: maybe { CodeChallenge(digest: $0.digest()) },
            nonce: maybe { $0.text() },
            dpopKey: maybe { $0.key() },
            subject: subject,
            authentication: authentication(),
            parent: parent(),
            via: via,
            browserSession: via == .authorize ? maybe { $0.session() } : nil,
            continuation: maybe { $0.continuation() },
            owner: via == .authorize ? nil : maybe { $0.session() },
            renews: maybe { $0.session() },
            expiresAt: wholeInstant()
        )
    }

    mutating func continuation() -> Continuation {
        Continuation(session: session(), host: client(), since: maybe { $0.wholeInstant() })
    }

    mutating func opening(subject: SubjectID, at: Instant) -> OfflineGrant.Opening {
        OfflineGrant.Opening(
            subject: subject,
            client: client(),
            scope: scope(),
            authentication: authentication(),
            via: any(OfflineGrant.Via.self),
            parent: parent(),
            browserSession: maybe { $0.session() },
            openedAt: at,
            expiresAt: wholeInstant(),
            idleMilliseconds: integer(0...9000),
            device: maybe { $0.sealed() }
        )
    }

    mutating func refreshToken() -> OfflineGrant.RefreshTokenIssue {
        OfflineGrant.RefreshTokenIssue(
            client: client(),
            family: integer(0...2),
            scope: scope(),
            secret: digest(),
            rotates: bool(),
            dpopKey: maybe { $0.key() },
            resources: texts(),
            expiresAt: wholeInstant()
        )
    }

    mutating func accessToken() -> OfflineGrant.AccessTokenIssue {
        OfflineGrant.AccessTokenIssue(
            token: token(),
            client: client(),
            scope: scope(),
            via: any(OfflineGrant.AccessTokenIssue.Via.self),
            dpopKey: maybe { $0.key() },
            expiresAt: wholeInstant()
        )
    }

    mutating func refreshed(at: Instant) -> OfflineGrant.Refreshed {
        OfflineGrant.Refreshed(
            family: integer(0...2),
            client: client(),
            generation: integer(0...3),
            secret: maybe { $0.digest() },
            token: token(),
            scope: scope(),
            expiresAt: wholeInstant(),
            at: at
        )
    }

    mutating func applied() -> ProjectConfig.Applied {
        ProjectConfig.Applied(
            id: one(of: ["shop", "other"].map(Sample.project)),
            digest: digest(),
            document: Array(text().utf8)
        )
    }

    mutating func difference(at time: Instant) -> ProjectConfig.Difference? {
        let clients = ["app", "web"].map(Sample.client).filter { _ in bool() }
        return ProjectConfig.Difference(clients, at: time)
    }

    mutating func kid() -> String { one(of: ["k1", "k2", "k3"]) }

    mutating func publicKey() -> [UInt8] {
        one(of: [#"{"kty":"EC"}"#, #"{ "kty": "EC" }"#, ""].map { Array($0.utf8) })
    }
}
