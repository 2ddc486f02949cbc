extension Simulation {
    /// How often each kind of request was made in a run.
    ///
    /// Each has its place, also with none: one that is drawn no more breaks no promise either.
    static func deeds(_ clients: Clients) -> [String: Int] {
        var counts: [String: Int] = [:]
        for name in names { counts[name] = 0 }
        for deed in clients.deeds {
            counts[name("\(deed.plan.act)", deed.plan.isRight), default: 0] += 1
        }
        for asked in clients.model.requests {
            counts[name("app-\(asked.act)", asked.isRight), default: 0] += 1
        }
        for (act, count) in clients.model.loginSteps { counts["link-\(act)"] = count }
        return counts
    }

    private static var names: [String] {
        let deeds = Deed.Act.allCases.flatMap { act in
            act.forms.map { name("\(act)", $0 == .right) }
        }
        let apps = Asked.Act.allCases.flatMap { act in
            (act.isMisused ? [true, false] : [true]).map { name("app-\(act)", $0) }
        }
        return deeds + apps + LoginModel.Act.allCases.map { "link-\($0)" }
    }

    private static func name(_ act: String, _ isRight: Bool) -> String {
        isRight ? act : "\(act)-wrong"
    }
}

extension Asked.Act {
    /// Whether apps ask it with something wrong, too.
    fileprivate var isMisused: Bool {
        switch self {
        case .redeem, .refresh, .revoke: true
        case .introspect, .revokeAccess, .logOut, .disableSubject, .disableClient: false
        }
    }
}
