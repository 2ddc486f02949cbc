import OAuth
import Runtime

/// `chancery grants`: who is signed in where, and the end of it.
struct Grants: Command {
    static let name = "grants"
    static let summary = "list sessions, show one and end one"
    static let help = """
        usage: chancery grants list (--email ADDRESS | --subject SUB) [--client ID] [--live]
               chancery grants show SID
               chancery grants end SID --reason TEXT

        A grant is what a client holds for a person: the session behind its refresh tokens. Its id
        is the sid of its tokens. All that a person ever had are listed, the newest first.

          show         one of any project, and of which; with --project, of that one alone
          end          ends a session and what rests on it: a browser's with the apps' that came
                       from it. Of one that has ended, what is left of it. The phone's biometric
                       key goes on: 'biometric-keys remove'

        \(Whose.help)
          --client ID       only this client's
          --live            only those that are live
          --reason TEXT     why, 1-200 bytes; recorded with your name
        \(AdminClient.help)
          --json            for programs

        example: chancery grants list --email alice@example.com
        """

    private enum Verb: String, CaseIterable {
        case list, show, end
    }

    private enum Action {
        case list
        case show(String)
        case end(String, reason: String)
    }

    private let action: Action
    private let client: AdminClient
    let asJSON: Bool
    private let whose: Whose
    private let clientID: String?
    private let isLiveOnly: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        asJSON = arguments.flag("--json")
        client = try AdminClient(&arguments)
        whose = try Whose(&arguments)
        clientID = try arguments.value("--client")
        isLiveOnly = arguments.flag("--live")
        let reason = try arguments.value("--reason")
        let verb: Verb = try arguments.verb(of: Self.name)
        try arguments.refuse("--email", "--subject", "--client", "--live", at: verb, unless: .list)
        try arguments.refuse("--reason", at: verb, unless: .end)
        switch verb {
        case .list:
            try whose.requireOne()
            action = .list
        case .show: action = .show(try arguments.word("the SID"))
        case .end:
            let sid = try arguments.word("the SID")
            action = .end(sid, reason: try Arguments.reason(reason))
        }
    }

    func run() -> Int32 {
        CommandLoop.run(self) { [self] loop throws(CommandFailure) in
            switch action {
            case .list: return try await list(on: loop)
            case .show(let sid): return try await show(sid, on: loop)
            case .end(let sid, let reason): return try await end(sid, reason, on: loop)
            }
        }
    }

    private func end(_ sid: String, _ reason: String, on loop: Loop)
        async throws(CommandFailure) -> Int32
    {
        let body = JSON.object([.init("reason", .string(reason))])
        let path = "/sessions/\(HTTPRequest.escaped(sid))/end"
        let result = try await client.post(path, body, on: loop)
        guard !asJSON else {
            Output.say(result)
            return 0
        }
        switch result["was"]?.string {
        case "live": Terminal.say("Ended \(sid).")
        case "ended": Terminal.say("\(sid) had ended before.")
        case let other: Terminal.say("Ended \(sid), which was \(other ?? "there").")
        }
        return 0
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
        var unreadable = 0
        for subject in try await whose.subjects(client, on: loop) {
            let found = try await self.sessions(of: subject, on: loop)
            sessions += found.sessions
            unreadable += found.unreadable
        }
        if isLiveOnly { sessions.removeAll { $0["status"] != "live" } }
        Output.list(
            sessions,
            Self.columns,
            under: "sessions",
            beside: Output.unreadable(unreadable),
            asJSON: asJSON
        )
        if unreadable > 0 {
            let counted = "\(unreadable) session\(unreadable == 1 ? "" : "s")"
            Terminal.complain("\(counted) cannot be read: the server's log says which.")
        }
        return 0
    }

    private static let columns: [Output.Column] = [
        ("SID", "sid"), ("TYPE", "type"), ("CLIENTS", "client_ids"), ("DEVICE", "device"),
        ("SUB", "sub"), ("STATUS", "status"), ("CREATED", "created_at"),
        ("LAST USED", "last_used_at"), ("EXPIRES", "expires_at"),
    ]

    /// Page by page.
    private func sessions(of subject: String, on loop: Loop)
        async throws(CommandFailure) -> (sessions: [JSON], unreadable: Int)
    {
        var query = [(name: "subject", value: subject)]
        if let clientID { query.append(("client", clientID)) }
        var sessions: [JSON] = []
        var unreadable = 0
        var cursor: String?
        repeat {
            let page = try await client.call(
                "GET",
                "/sessions",
                query: query + (cursor.map { [("cursor", $0)] } ?? []),
                on: loop
            ).json?["result"]
            sessions += try AdminClient.list("sessions", of: page)
            unreadable += Int(page?["unreadable"]?.integer ?? 0)
            cursor = page?["next"]?.string
        } while cursor != nil
        return (sessions, unreadable)
    }
}
