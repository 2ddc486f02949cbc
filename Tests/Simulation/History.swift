import OAuth

/// Requests as a reader of a failing run wants them.
enum History {
    static func line(_ asked: Asked) -> String {
        let end = asked.endedStep.map { "\($0)" } ?? "…"
        let value = asked.presented.suffix(6)
        let what = value.isEmpty ? "" : " …\(String(decoding: value, as: UTF8.self))"
        let flaw = asked.isRight ? "" : " (wrong)"
        return "\(asked.number): \(asked.startedStep)-\(end) at \(asked.startedAt / 1_000_000) ms "
            + "\(asked.act) of \(asked.lineage)\(what)\(flaw): \(answer(asked.answer))"
    }

    static func line(_ deed: Deed) -> String {
        let end = deed.endedStep.map { "\($0)" } ?? "…"
        let flaw =
            switch deed.form {
            case .right: ""
            case .wrong: " (wrong)"
            case .lax: " (too lax)"
            }
        let spends = deed.plan.spends.map { " #\($0.number)" }.joined()
        let answer =
            switch deed.answer {
            case nil: "pending"
            case .passed: "passed"
            case .refused(let code): "refused, \(code.rawValue)"
            case .unknown: "unknown"
            }
        return "deed \(deed.number): \(deed.startedStep)-\(end) at "
            + "\(deed.startedAt / 1_000_000) ms \(deed.plan.act.rawValue)"
            + "\(spends)\(flaw): \(answer)"
    }

    private static func answer(_ answer: Asked.Answer?) -> String {
        switch answer {
        case nil: "pending"
        case .granted(let granted):
            "granted …"
                + String(decoding: (granted.refreshToken ?? []).suffix(6), as: UTF8.self)
        case .active: "active"
        case .inactive: "inactive"
        case .refused(let error): "refused, \(error)"
        case .unknown: "unknown"
        case .done: "done"
        }
    }
}
