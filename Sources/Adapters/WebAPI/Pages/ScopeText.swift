internal import Domain

/// What a scope lets a client do, for people.
enum ScopeText {
    /// What everybody understands first; what goes on without them last.
    static func meanings(of scope: Scope) -> [HTML] {
        let known = scope.tokens.filter { meaning(of: $0) != nil }
        let own = scope.tokens.filter { meaning(of: $0) == nil }
        let offline = known.filter { $0 == "offline_access" }
        return (known.filter { $0 != "offline_access" } + own + offline).map(html)
    }

    private static func html(_ scope: String) -> HTML {
        // A scope of the project's own: its name is all there is.
        guard let meaning = meaning(of: scope) else { return "Use <strong>\(scope)</strong>" }
        return "\(meaning)"
    }

    private static func meaning(of scope: String) -> String? {
        switch scope {
        case "openid": "Know who you are"
        case "offline_access": "Stay signed in when you are not using it"
        case "email": "See your e-mail address"
        case "profile", "address", "phone": "See your profile"
        case "https://authgear.com/scopes/full-access": "Use all of your account"
        case "https://authgear.com/scopes/full-userinfo": "See all of your profile"
        default: nil
        }
    }
}
