internal import Domain
internal import OAuth

/// `aud` of an access token (WireContract 8.3).
enum Audience {
    /// The resources asked for, else `defaults`, the client's, and the issuer with `openid`; none
    /// of these: the issuer.
    ///
    /// - Throws: `invalid_target` for a resource that was not granted.
    static func resolve(
        asked: [[UInt8]],
        granted: [String],
        scope: Scope,
        defaults: [String],
        issuer: String
    ) throws(OAuthError) -> [String] {
        let granted = granted.isEmpty ? defaults : granted
        var audience = granted
        if !asked.isEmpty {
            audience = granted.filter { uri in asked.contains { $0.elementsEqual(uri.utf8) } }
            let known = asked.allSatisfy { name in
                granted.contains { name.elementsEqual($0.utf8) }
            }
            guard known else {
                throw OAuthError(.invalidTarget, "the resource was not granted")
            }
        }
        if scope.contains("openid") || audience.isEmpty { audience.append(issuer) }
        return audience
    }
}
