import OAuth
import Persistence

/// One thing that was looked at, and what to do when it is not right.
struct Finding: Sendable {
    enum Level: String, Sendable {
        case ok, warning, fault
    }

    var level: Level
    var sentence: String
    var remedy: String?

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

    /// One line, and the remedy on the next.
    var text: String {
        let mark =
            switch level {
            case .ok: "✔"
            case .warning: "!"
            case .fault: "✘"
            }
        return "\(mark) \(sentence)" + (remedy.map { "\n    → \($0)" } ?? "")
    }

    var json: JSON {
        .object(
            [.init("level", .string(level.rawValue)), .init("finding", .string(sentence))]
                + (remedy.map { [.init("remedy", .string($0))] } ?? [])
        )
    }
}
