package import Domain

/// The cookie that takes an access token to the servers of web clients (WireContract 4.4 and 8.1).
package struct AccessCookie: Hashable, Sendable {
    /// `http.cookie_domain`: to it, and what is below it, a browser sends the cookie.
    package var domain: String
    package var name: String

    init(domain: String, prefix: String) {
        self.domain = domain
        name = "\(prefix)app_access_token"
    }

    /// Whether some server gets both by one name: then one of them overwrites the other, or the
    /// server cannot tell which is whose.
    package func meets(_ other: Self) -> Bool {
        guard name.utf8.elementsEqual(other.name.utf8) else { return false }
        return Self.covers(domain, other.domain) || Self.covers(other.domain, domain)
    }

    private static func covers(_ domain: String, _ below: String) -> Bool {
        domain.utf8.elementsEqual(below.utf8)
            || below.utf8.suffix(domain.utf8.count + 1).elementsEqual(".\(domain)".utf8)
    }
}

extension ProjectSettings {
    /// Nil in a project without `http.cookie_domain`.
    package var accessCookie: AccessCookie? {
        cookieDomain.map { AccessCookie(domain: $0, prefix: cookiePrefix) }
    }

    /// The cookie of `other` that it takes.
    ///
    /// One that it has already, as `own` says, stays its own, even if an earlier document shares
    /// it.
    func cookieTaken(from other: Self, having own: Self?) -> AccessCookie? {
        guard let cookie = accessCookie, cookie != own?.accessCookie,
            let taken = other.accessCookie, cookie.meets(taken)
        else { return nil }
        return taken
    }
}
