import OAuth
import Runtime

/// Whose things a command shows: `--email` or `--subject`.
struct Whose: Sendable {
    /// What `--help` says about the options that `init` takes.
    static let help = """
          --email ADDRESS   whose, by the address they sign in with
          --subject SUB     whose, by the sub of their tokens
        """

    let email: String?
    let subject: String?

    /// Takes `--email` and `--subject`.
    init(_ arguments: inout Arguments) throws(UsageError) {
        email = try arguments.value("--email")
        subject = try arguments.value("--subject")
    }

    /// - Throws: unless exactly one of the two is given.
    func requireOne() throws(UsageError) {
        guard (email == nil) != (subject == nil) else {
            throw UsageError(sentence: "whose? --email or --subject, one of them")
        }
    }

    /// One user as a rule; an address may have been given up and taken by another.
    func subjects(_ client: AdminClient, on loop: Loop) async throws(CommandFailure) -> [String] {
        if let subject { return [subject] }
        let query = [(name: "email", value: email ?? "")]
        let answer = try await client.call("GET", "/subjects", query: query, on: loop)
        guard case .array(let subjects) = answer.json?["result"]?["subjects"], !subjects.isEmpty
        else { throw CommandFailure("nobody signs in with \(email ?? "")") }
        return subjects.compactMap { $0["sub"]?.string }
    }
}
