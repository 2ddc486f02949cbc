import OAuth
import Runtime

/// `chancery grants`: who is signed in where.
struct Grants: Command {
    static let name = "grants"
    static let summary = "list sessions and show one"
    static let help = """
        usage: chancery grants list (--email ADDRESS | --subject SUB) [--client ID]
               chancery grants show SID

        A grant is what a client holds for a person: the session behind its refresh tokens. Its id
        is the sid of its tokens. All that a person ever had are listed, the newest first.

          --email ADDRESS   whose, by the address they sign in with
          --subject SUB     whose, by the sub of their tokens
          --client ID       only this client's
        \(AdminClient.help)
          --json            for programs

        example: chancery grants list --email alice@example.com
        """

    private let client: AdminClient
    private let asJSON: Bool
    private let sid: String?
    private let email: String?
    private let subject: String?
    private let clientID: String?

    init(_ arguments: inout Arguments) throws(UsageError) {
        asJSON = arguments.flag("--json")
        client = try AdminClient(&arguments)
        email = try arguments.value("--email")
        subject = try arguments.value("--subject")
        clientID = try arguments.value("--client")
        switch try arguments.word("list or show") {
        case "list":
            sid = nil
            guard (email == nil) != (subject == nil) else {
                throw UsageError(sentence: "whose? --email or --subject, one of them")
            }
        case "show":
            sid = try arguments.word("the SID")
            let isGiven = email != nil || subject != nil || clientID != nil
            try UsageError.unless(
                false,
                refuse: isGiven,
                "--email, --subject or --client",
                goesWith: "list"
            )
        case let verb: throw UsageError(sentence: "grants does not know \(verb)")
        }
    }

    func run() -> Int32 {
        CommandLoop.run { [self] loop throws(CommandFailure) in
            if let sid { return try await show(sid, on: loop) }
            return try await list(on: loop)
        }
    }

    private func show(_ sid: String, on loop: Loop) async throws(CommandFailure) -> Int32 {
        let path = "/sessions/\(HTTPRequest.escaped(sid))"
        let answer = try await client.call("GET", path, on: loop)
        let session = answer.json?["result"]?["session"] ?? .null
        guard !asJSON, case .object(let members) = session else {
            Output.say(session)
            return 0
        }
        Table.say([], members.map { [$0.name, $0.value.shown] })
        return 0
    }

    private func list(on loop: Loop) async throws(CommandFailure) -> Int32 {
        var sessions: [JSON] = []
        for subject in try await subjects(on: loop) {
            sessions += try await self.sessions(of: subject, on: loop)
        }
        if asJSON {
            Output.say(.array(sessions))
        } else {
            Table.say(
                ["SID", "TYPE", "CLIENTS", "SUB", "STATUS", "LAST USED"],
                sessions.map { one in
                    ["sid", "type", "client_ids", "sub", "status", "last_used_at"].map {
                        one[$0]?.shown ?? ""
                    }
                }
            )
        }
        return 0
    }

    /// Page by page.
    private func sessions(of subject: String, on loop: Loop) async throws(CommandFailure) -> [JSON]
    {
        var query = [(name: "subject", value: subject)]
        if let clientID { query.append(("client", clientID)) }
        var sessions: [JSON] = []
        var cursor: String?
        repeat {
            let page = try await client.call(
                "GET",
                "/sessions",
                query: query + (cursor.map { [("cursor", $0)] } ?? []),
                on: loop
            ).json?["result"]
            guard case .array(let found) = page?["sessions"] else {
                throw CommandFailure("the admin API answered no list of sessions")
            }
            sessions += found
            cursor = page?["next"]?.string
        } while cursor != nil
        return sessions
    }

    /// One user as a rule; an address may have been given up and taken by another.
    private func subjects(on loop: Loop) async throws(CommandFailure) -> [String] {
        if let subject { return [subject] }
        let query = [(name: "email", value: email ?? "")]
        let answer = try await client.call("GET", "/subjects", query: query, on: loop)
        guard case .array(let subjects) = answer.json?["result"]?["subjects"], !subjects.isEmpty
        else { throw CommandFailure("nobody signs in with \(email ?? "")") }
        return subjects.compactMap { $0["sub"]?.string }
    }
}
