import OAuth
import Testing

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

@Suite struct OAuthErrorTests {
    @Test func rendersFormA() {
        let error = OAuthError(
            .invalidGrant,
            "refresh token is not valid",
            cause: "generation 3",
            refusal: "RT-004"
        )
        #expect(error.status == 400)
        #expect(error.retryAfterSeconds == nil)
        let body = #"{"error":"invalid_grant","error_description":"refresh token is not valid"}"#
        #expect(text(error.render()) == body)
    }

    @Test func namesTheScopeThatWasMissing() {
        let error = OAuthError(
            .insufficientScope,
            "scope is missing",
            status: 403,
            scope: "openid"
        )
        let body = #"{"error":"insufficient_scope","error_description":"scope is missing","#
        #expect(text(error.render()) == body + #""scope":"openid"}"#)
    }

    @Test func transientErrorsSayWhenToRetry() {
        for code in OAuthError.Code.allCases {
            let isTransient = code == .rateLimited || code == .temporarilyUnavailable
            #expect((OAuthError(code, "x").retryAfterSeconds != nil) == isTransient)
        }
    }
}

@Suite struct AuthenticationChallengeTests {
    @Test(
        arguments: [
            (.basic(realm: "https://a.example"), #"Basic realm="https://a.example""#),
            (.bearer(error: nil), "Bearer"),
            (.bearer(error: .invalidToken), #"Bearer error="invalid_token""#),
            (
                .bearer(error: .insufficientScope, scope: "openid"),
                #"Bearer error="insufficient_scope", scope="openid""#
            ),
            (
                .dpop(error: .invalidToken, algorithms: ["ES256", "RS256"]),
                #"DPoP error="invalid_token", algs="ES256 RS256""#
            ),
        ] as [(AuthenticationChallenge, String)]
    )
    func renders(_ challenge: AuthenticationChallenge, _ value: String) {
        #expect(challenge.headerValue == value)
    }
}

@Suite struct EnvelopeErrorTests {
    @Test func rendersTheExampleOfTheContract() {
        let error = EnvelopeError(
            .validationFailed,
            "invalid request body",
            causes: [.general("/purpose", "unknown challenge purpose")]
        )
        let body =
            #"{"error":{"name":"Invalid","reason":"ValidationFailed","#
            + #""message":"invalid request body","code":400,"info":{"causes":[{"#
            + #""location":"/purpose","kind":"general","#
            + #""details":{"msg":"unknown challenge purpose"}}]}}}"#
        #expect(text(error.render()) == body)
    }

    @Test func saysWhichMembersAreMissing() {
        let cause = EnvelopeError.Cause.required("", actual: ["b"], expected: ["a", "b"])
        #expect(cause.details == ["actual": ["b"], "expected": ["a", "b"], "missing": ["a"]])
    }

    @Test func hasInfoOnlyWithValidationFailed() {
        for reason in EnvelopeError.Reason.allCases {
            let body = text(EnvelopeError(reason, "x").render())
            #expect(body.contains("\"info\"") == (reason == .validationFailed))
            #expect(body.contains("\"code\":\(reason.status)"))
        }
    }
}

@Suite struct RequestParametersTests {
    private let request = RequestParameters([
        "grant_type": "refresh_token", "scope": "", "twice": "a", "twice": "a",
        "resource": "https://a.example", "resource": "", "resource": "https://b.example",
    ])

    @Test func anEmptyParameterIsAbsent() throws {
        #expect(try request.optional("scope") == nil)
        #expect(try request.optional("grant_type") == Array("refresh_token".utf8))
        #expect(request.mentions("scope"))
    }

    @Test func aMissingParameterIsAnInvalidRequest() {
        let error = #expect(throws: OAuthError.self) { try request.required("scope") }
        #expect(error?.code == .invalidRequest)
        #expect(error?.cause == "scope")
    }

    @Test func aRepeatedParameterIsAnInvalidRequest() {
        let error = #expect(throws: OAuthError.self) { try request.optional("twice") }
        #expect(error?.code == .invalidRequest)
        #expect(throws: OAuthError.self) { try request.refuseRepeats(of: ["scope", "twice"]) }
        #expect(throws: Never.self) { try request.refuseRepeats(of: ["scope", "resource"]) }
    }

    @Test func resourcesMayBeRepeatedUpToEightTimes() throws {
        #expect(
            try request.resources()
                == ["https://a.example", "https://b.example"]
                .map { Array($0.utf8) }
        )
        let field = Form.Field(name: Array("resource".utf8), value: [0x61])
        let nine = RequestParameters(Form(fields: Array(repeating: field, count: 9)))
        #expect(throws: OAuthError.self) { try nine.resources() }
    }
}

@Suite struct TokenResponseTests {
    @Test func writesEveryMemberInTheOrderOfTheContract() {
        let response = TokenResponse(
            accessToken: .init(
                text: Array("at".utf8),
                type: .dpop,
                expiresInSeconds: 900,
                scope: "openid"
            ),
            refreshToken: Array("rt".utf8),
            idToken: Array("it".utf8),
            deviceSecret: Array("ds".utf8),
            issuedTokenType: "urn:x",
            code: Array("ac".utf8)
        )
        let body =
            #"{"access_token":"at","token_type":"DPoP","expires_in":900,"#
            + #""refresh_token":"rt","id_token":"it","scope":"openid","device_secret":"ds","#
            + #""issued_token_type":"urn:x","code":"ac"}"#
        #expect(text(response.render()) == body)
    }

    @Test func leavesOutWhatDoesNotApply() {
        #expect(text(TokenResponse(code: [0x61]).render()) == #"{"code":"a"}"#)
    }
}

@Suite struct IntrospectionResponseTests {
    @Test func inactiveSaysNothingElse() {
        #expect(text(IntrospectionResponse.inactive.render()) == #"{"active":false}"#)
    }

    @Test func activeWritesTheMembersThatApply() {
        let token = IntrospectionResponse.Token(
            issuer: "https://a.example",
            subject: "s",
            audience: ["https://a.example"],
            client: "app",
            scope: "openid",
            issuedAt: 1,
            expiresAt: 2,
            token: "j",
            session: nil,
            authenticatedAt: nil,
            authenticationContext: nil,
            authenticationMethods: [],
            type: .bearer,
            keyThumbprint: "k"
        )
        let body =
            #"{"active":true,"iss":"https://a.example","sub":"s","#
            + #""aud":["https://a.example"],"client_id":"app","scope":"openid","iat":1,"exp":2,"#
            + #""jti":"j","token_type":"Bearer","cnf":{"jkt":"k"}}"#
        #expect(text(IntrospectionResponse.active(token).render()) == body)
    }
}
