extension Simulation {
    /// How often each kind of request was made in a run.
    ///
    /// Each has its place, also with none: one that is drawn no more breaks no promise either.
    static func deeds(_ clients: Clients) -> [String: Int] {
        var counts: [String: Int] = [:]
        for name in names { counts[name] = 0 }
        for deed in clients.deeds {
            counts[name("\(deed.plan.act)", deed.form), default: 0] += 1
        }
        for asked in clients.model.requests {
            let form: Deed.Form = asked.isRight ? .right : .wrong
            counts[name("app-\(asked.act)", form), default: 0] += 1
        }
        for (act, count) in clients.model.loginSteps { counts["link-\(act)"] = count }
        return counts
    }

    private static var names: [String] {
        let deeds = Deed.Act.allCases.flatMap { act in
            act.forms.map { name("\(act)", $0) }
        }
        let apps = Asked.Act.allCases.flatMap { act in
            act.forms.map { name("app-\(act)", $0) }
        }
        return deeds + apps + LoginModel.Act.allCases.map { "link-\($0)" }
    }

    private static func name(_ act: String, _ form: Deed.Form) -> String {
        switch form {
        case .right: act
        case .wrong: "\(act)-wrong"
        case .lax: "\(act)-lax"
        }
    }
}

extension Asked.Act {
    /// Whether apps ask it with something wrong, too.
    fileprivate var forms: [Deed.Form] {
        switch self {
        case .redeem, .refresh, .revoke: [.right, .wrong]
        case .introspect, .revokeAccess, .logOut, .disableSubject, .disableClient: [.right]
        }
    }
}
