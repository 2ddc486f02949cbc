internal import Domain
internal import OAuth

/// What a scope lets a client do, for people.
enum ScopeText {
    /// What everybody understands first; what goes on without them last.
    static func meanings(of scope: Scope) -> [HTML] {
        let known = scope.tokens.filter { meaning(of: $0) != nil }
        let own = scope.tokens.filter { meaning(of: $0) == nil }
        let offline = known.filter { $0 == BuiltInScopes.offlineAccess }
        return (known.filter { $0 != BuiltInScopes.offlineAccess } + own + offline).map(html)
    }

    private static func html(_ scope: String) -> HTML {
        // A scope of the project's own: its name is all there is.
        guard let meaning = meaning(of: scope) else { return "Use <strong>\(scope)</strong>" }
        return "\(meaning)"
    }

    private static func meaning(of scope: String) -> String? {
        switch scope {
        case BuiltInScopes.openID: "Know who you are"
        case BuiltInScopes.offlineAccess: "Stay signed in when you are not using it"
        case BuiltInScopes.email: "See your e-mail address"
        case BuiltInScopes.profile, BuiltInScopes.address, BuiltInScopes.phone: "See your profile"
        case BuiltInScopes.fullAccess: "Use all of your account"
        case BuiltInScopes.fullUserInfo: "See all of your profile"
        default: nil
        }
    }
}
