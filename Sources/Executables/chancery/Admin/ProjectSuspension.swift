import OAuth
import Runtime

/// What `chancery config suspend` and `resume` ask for.
///
/// Whose it is stands in the command: what stops everybody is meant for one project by its name.
struct ProjectSuspension: Sendable {
    enum Verb: String {
        case suspend, resume
    }

    private let verb: Verb
    private let project: String
    private let reason: String

    /// Takes the project's id.
    init(
        _ verb: Verb,
        _ reason: String?,
        _ client: AdminClient,
        _ arguments: inout Arguments
    ) throws(UsageError) {
        self.verb = verb
        project = try arguments.word("the PROJECT")
        if let named = client.namedProject, named != project {
            let names = "names \(project), and --project \(named)"
            throw UsageError(sentence: "config \(verb.rawValue) \(names)")
        }
        self.reason = try Arguments.reason(reason)
    }

    /// What has been done, in words.
    var done: String { "\(verb.rawValue) \(project)" }

    /// What the admin API answers.
    func make(by client: AdminClient, on loop: Loop) async throws(CommandFailure) -> JSON {
        let body = JSON.object([.init("reason", .string(reason))])
        return try await client.of(project).post("/project/\(verb.rawValue)", body, on: loop)
    }
}
