import Foundation
import TestSupport

/// A project as its clients reach it: by one origin, at every node in turn.
struct Site: Sendable {
    let origin: String
    let nodes: [String]
    let mailPage: String

    /// The demo project of a stack, or another one of its projects; at `nodes` in place of its own.
    init(_ stack: RunningStack, origin: String? = nil, nodes: [String]? = nil) {
        self.origin = origin ?? stack.issuer
        self.nodes = nodes ?? stack.nodes
        mailPage = stack.facts["MAIL_PAGE"] ?? ""
    }

    /// Without port, as cookies know it.
    var host: String { URLComponents(string: origin)?.host ?? "" }

    /// With it, as requests do.
    var authority: String { origin.components(separatedBy: "://").last ?? "" }

    /// A browser without cookies: at every node in turn, or at one of them alone.
    func browser(at node: Int? = nil) -> Browser {
        Browser(origin, at: node.map { [nodes[$0 % nodes.count]] } ?? nodes)
    }

    /// Sends one request, at a node that is named or at any.
    func send(_ request: WireRequest, at node: Int? = nil) async throws -> WireAnswer {
        var browser = browser(at: node)
        return try await browser.send(
            request.method,
            request.target,
            headers: request.headers,
            body: request.body
        )
    }

    /// Sends a form to the token endpoint.
    func token(_ fields: [(String, String)], proof: String? = nil, at node: Int? = nil)
        async throws -> WireAnswer
    {
        try await send(.token(fields, proof: proof), at: node)
    }

    /// The outcomes of both uses of a client's tokens, at the second node.
    func uses(of tokens: WireAnswer, _ client: String = "app") async throws -> [String] {
        [
            try await send(.bearing(tokens.member("access_token")), at: 1).outcome,
            try await token(GrantForm.refresh(tokens.member("refresh_token"), of: client), at: 1)
                .outcome,
        ]
    }

    /// A fresh challenge for JWTs of a kind.
    func challenge(_ kind: PhoneJWT) async throws -> String {
        let answer = try await send(
            WireRequest(
                "POST",
                "/oauth2/challenge",
                [("Content-Type", "application/json")],
                #"{"purpose":"\#(kind.purpose)"}"#
            )
        )
        guard let token = answer.result("token") else {
            throw SignIn.Failed(description: "no challenge: \(answer.status) \(answer.text)")
        }
        return token
    }

    /// What a phone signs over a fresh challenge, everything right.
    func signed(by key: PhoneKey, _ kind: PhoneJWT, _ options: [String: String] = [:])
        async throws -> String
    {
        try key.jwt(kind, challenge: try await challenge(kind), options)
    }

    /// A DPoP proof for an endpoint; `token`: what it is shown beside.
    func proof(
        by key: PhoneKey,
        of path: String = "/oauth2/token",
        method: String = "POST",
        for token: String? = nil,
        nonce: String? = nil
    ) throws -> String {
        var options = [
            "typ": "dpop+jwt", "claim.htm": method, "claim.htu": origin + path,
            "claim.jti": UUID().uuidString,
        ]
        options["claim.nonce"] = nonce
        options["claim.ath"] = token.map(PhoneKey.digest)
        return try key.jwt(options)
    }
}

/// What a phone signs over a challenge (WireContract 6.2).
enum PhoneJWT: String, Sendable {
    case app2app, biometric

    var purpose: String { "\(rawValue)_request" }
    var type: String { "vnd.authgear.\(rawValue)-request" }
}

extension PhoneKey {
    /// `options` as in a script.
    func jwt(_ kind: PhoneJWT, challenge: String, _ options: [String: String] = [:]) throws
        -> String
    {
        try jwt(options.merging(["typ": kind.type, "challenge": challenge]) { given, _ in given })
    }
}
