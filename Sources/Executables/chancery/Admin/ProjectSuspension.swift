import OAuth
import Runtime

/// What `chancery config suspend` and `resume` ask for.
///
/// Whose it is stands in the command: what stops everybody is meant for one project by its name.
struct ProjectSuspension: Sendable {
    static let verbs = ["suspend", "resume"]

    private let verb: String
    private let project: String
    private let reason: String

    /// `verb`: one of these; takes the project's id.
    init(
        _ verb: String,
        _ reason: String?,
        _ client: AdminClient,
        _ arguments: inout Arguments
    ) throws(UsageError) {
        self.verb = verb
        project = try arguments.word("the PROJECT")
        if let named = client.namedProject, named != project {
            throw UsageError(sentence: "config \(verb) names \(project), and --project \(named)")
        }
        guard let reason else { throw UsageError(sentence: "--reason is missing: say why") }
        self.reason = reason
    }

    /// What has been done, in words.
    var done: String { "\(verb) \(project)" }

    /// What the admin API answers.
    func make(by client: AdminClient, on loop: Loop) async throws(CommandFailure) -> JSON {
        let body = JSON.object([.init("reason", .string(reason))])
        return try await client.of(project).post("/project/\(verb)", body, on: loop)
    }
}
