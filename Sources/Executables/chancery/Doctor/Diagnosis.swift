import OAuth
import Persistence

/// One thing that was looked at, and what to do when it is not right.
struct Diagnosis: Sendable {
    enum Level: String, Sendable {
        case ok, warning, fault
        /// It cannot be looked at from here.
        case unseen
    }

    var level: Level
    var sentence: String
    var remedy: String?
    /// The rule of the start list that it is about (`StartList`).
    var rule: Int?

    static func ok(_ sentence: String) -> Self { Self(level: .ok, sentence: sentence) }

    static func warning(_ sentence: String, _ remedy: String) -> Self {
        Self(level: .warning, sentence: sentence, remedy: remedy)
    }

    static func fault(_ sentence: String, _ remedy: String) -> Self {
        Self(level: .fault, sentence: sentence, remedy: remedy)
    }

    /// What would keep a process from starting.
    static func fault(_ refusal: StartRefusal) -> Self {
        .fault(refusal.sentence, refusal.remedy)
    }

    /// What was asked of a token-issuer and not told.
    static func fault(_ failure: CommandFailure) -> Self {
        .fault(failure.sentence, failure.remedy ?? "Is token-issuer running?")
    }

    /// What only `--insecure-dev` allows.
    static func development(_ sentence: String) -> Self {
        .warning(sentence, "Right for development; a process without --insecure-dev refuses it.")
    }

    static func unseen(_ sentence: String, _ remedy: String) -> Self {
        Self(level: .unseen, sentence: sentence, remedy: remedy)
    }

    /// The same, as something that a process refuses to start with.
    func of(_ rule: Int) -> Self {
        var diagnosis = self
        diagnosis.rule = rule
        return diagnosis
    }

    /// The same, with what it is about in front.
    func about(_ name: String) -> Self {
        var diagnosis = self
        diagnosis.sentence = "\(name): \(sentence)"
        return diagnosis
    }

    /// One line, and the remedy on the next.
    var text: String {
        "\(level.mark) \(sentence)" + (remedy.map { "\n    → \($0)" } ?? "")
    }

    var json: JSON {
        .object(
            [.init("level", .string(level.rawValue)), .init("finding", .string(sentence))]
                + (remedy.map { [.init("remedy", .string($0))] } ?? [])
                + (rule.map { [.init("start_rule", .integer(Int64($0)))] } ?? [])
        )
    }
}

extension Diagnosis.Level {
    var mark: String {
        switch self {
        case .ok: "✔"
        case .warning: "!"
        case .fault: "✘"
        case .unseen: "–"
        }
    }

    /// The worse, the greater.
    var weight: Int {
        switch self {
        case .ok: 0
        case .unseen: 1
        case .warning: 2
        case .fault: 3
        }
    }
}
