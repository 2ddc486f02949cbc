import OAuth
import Runtime

/// `chancery consents`: what a user has allowed applications.
struct Consents: Command {
    static let name = "consents"
    static let summary = "list and withdraw what users have allowed"
    static let help = """
        usage: chancery consents list (--email ADDRESS | --subject SUB)
               chancery consents withdraw --client ID --subject SUB --reason TEXT

        A consent is what a user has allowed an application that must ask (x_consent_required). It
        outlives the sessions of the application, which comes back by it without asking.

          list         those on record, the newest first, at most 200 of a user
          withdraw     one of them, and with it the application's sessions of this user. The next
                       time it must ask, if it needs a consent still. May be repeated, and of a
                       user who is disabled, too.

        \(Whose.help)
          --client ID       the application
          --reason TEXT     why, 1-200 bytes; recorded with your name
        \(AdminClient.help)
          --json            for programs

        example: chancery consents list --email alice@example.com
        """

    private enum Verb: String, CaseIterable {
        case list, withdraw
    }

    private let client: AdminClient
    let asJSON: Bool
    private let whose: Whose
    /// What to withdraw; nil: to list.
    private let withdrawal: (client: String, subject: String, reason: String)?

    init(_ arguments: inout Arguments) throws(UsageError) {
        asJSON = arguments.flag("--json")
        client = try AdminClient(&arguments)
        whose = try Whose(&arguments)
        let reason = try arguments.value("--reason")
        let application = try arguments.value("--client")
        let verb: Verb = try arguments.verb(of: Self.name)
        try arguments.refuse("--client", "--reason", at: verb, unless: .withdraw)
        // An address may have been given up and taken by another.
        try arguments.refuse("--email", at: verb, unless: .list)
        switch verb {
        case .list:
            try whose.requireOne()
            withdrawal = nil
        case .withdraw:
            withdrawal = (
                try Arguments.required(application, "--client", "from which application"),
                try Arguments.required(whose.subject, "--subject", "whose consent"),
                try Arguments.reason(reason)
            )
        }
    }

    func run() -> Int32 {
        CommandLoop.run(self) { [self] loop throws(CommandFailure) in
            guard let withdrawal else { return try await list(on: loop) }
            return try await withdraw(withdrawal, on: loop)
        }
    }

    private func list(on loop: Loop) async throws(CommandFailure) -> Int32 {
        var shown: [JSON] = []
        var hasMore = false
        var unreadable = 0
        for subject in try await whose.subjects(client, on: loop) {
            let path = Self.path(of: subject)
            let result = try await client.call("GET", path, on: loop).json?["result"]
            shown += try AdminClient.list("consents", of: result)
            if case .bool(true) = result?["has_more"] { hasMore = true }
            unreadable += Int(result?["unreadable"]?.integer ?? 0)
        }
        let columns: [Output.Column] = [
            ("CLIENT", "client_id"), ("SUB", "sub"), ("SCOPE", "scope"),
        ]
        Output.list(
            shown,
            columns,
            under: "consents",
            beside: [.init("has_more", .bool(hasMore))] + Output.unreadable(unreadable),
            asJSON: asJSON
        )
        if hasMore { Terminal.complain("Older ones are not shown.") }
        if unreadable > 0 {
            let counted = "\(unreadable) consent\(unreadable == 1 ? "" : "s")"
            Terminal.complain("\(counted) cannot be read: the server's log says which.")
        }
        return 0
    }

    private func withdraw(
        _ order: (client: String, subject: String, reason: String),
        on loop: Loop
    ) async throws(CommandFailure) -> Int32 {
        let result = try await client.post(
            Self.path(of: order.subject) + "/withdraw",
            .object([
                .init("client_id", .string(order.client)), .init("reason", .string(order.reason)),
            ]),
            on: loop
        )
        guard case .bool(let isNow) = result["withdrawn"] else {
            throw CommandFailure("the admin API did not say what it withdrew")
        }
        if asJSON {
            Output.say(result)
        } else if isNow {
            Terminal.say("Withdrew the consent to \(order.client), and ended what it had by it.")
        } else {
            Terminal.say("The consent to \(order.client) had been withdrawn before.")
        }
        return 0
    }

    private static func path(of subject: String) -> String {
        "/subjects/\(HTTPRequest.escaped(subject))/consents"
    }
}
