/// An app that lets another one in on its device key: a code goes out.
extension Bench {
    private static let purpose = "app2app_request"

    func app2app(of users: [Seeds.Session]) async throws {
        let keys = try PhoneKey.some(Self.sessionsPerGrant)
        let first = try await challenges(keys.count, for: Self.purpose)
        let owners = try await logins(of: users, scope: "openid offline_access") { number, code in
            let jwt = try keys[number].app2app(first[number], #","action":"setup""#)
            return Wire.redeem(code, more: "&x_app2app_device_key_jwt=\(jwt)")
        }.map { try Wire.text("refresh_token", of: $0) }
        try await grant("app2app", signatures: 0, verifications: 1, answering: "code") {
            let fresh = try await challenges(requestsPerRun, for: Self.purpose)
            let requests = try fresh.enumerated().map { number, challenge in
                let session = number % keys.count
                return try Self.approval(of: owners[session], by: keys[session], challenge)
            }
            return Self.once(requests)
        }
    }

    private static func approval(of owner: String, by key: PhoneKey, _ challenge: [UInt8]) throws
        -> [UInt8]
    {
        let (target, uri) = ("invest", "com.example.invest:/cb")
        let jwt = try key.app2app(
            challenge,
            """
            ,"aud":"\(Stack.origin)","client_id":"\(target)","redirect_uri":"\(uri)",\
            "code_challenge":"\(Seeds.codeChallenge)"
            """
        )
        return Wire.grant(
            "urn:authgear:params:oauth:grant-type:app2app-request",
            """
            client_id=\(target)&refresh_token=\(owner)&redirect_uri=\(uri)\
            &code_challenge=\(Seeds.codeChallenge)&code_challenge_method=S256&jwt=\(jwt)
            """
        )
    }
}
