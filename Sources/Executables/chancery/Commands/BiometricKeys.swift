import OAuth
import Runtime

/// `chancery biometric-keys`: by which phones a user logs in with a finger or a face.
struct BiometricKeys: Command {
    static let name = "biometric-keys"
    static let summary = "list and remove users' biometric keys"
    static let help = """
        usage: chancery biometric-keys list (--email ADDRESS | --subject SUB)
               chancery biometric-keys remove KID --subject SUB --reason TEXT
               chancery biometric-keys remove --all --subject SUB --reason TEXT

        A biometric key logs a user in from one phone. It outlives its sessions, and it outlives
        'subjects disable': once they are enabled it logs in again, in a thief's hands, too.

          list         those that log a user in, the newest first
          remove       a key, for ever, and the session that it opened. Other sessions of the
                       phone go on: 'grants end' ends one, 'subjects disable' all. May be
                       repeated, and of a user who is disabled, too.

        \(Whose.help)
          --all             every biometric key of the user
          --reason TEXT     why, 1-200 bytes; recorded with your name
        \(AdminClient.help)
          --json            for programs

        example: chancery biometric-keys list --email alice@example.com
        """

    private enum Verb: String, CaseIterable {
        case list, remove
    }

    private let client: AdminClient
    let asJSON: Bool
    private let whose: Whose
    /// What to remove: a key, or without one all; nil: to list.
    private let removal: (kid: String?, subject: String, reason: String)?

    init(_ arguments: inout Arguments) throws(UsageError) {
        asJSON = arguments.flag("--json")
        client = try AdminClient(&arguments)
        whose = try Whose(&arguments)
        let reason = try arguments.value("--reason")
        let isAll = arguments.flag("--all")
        let verb: Verb = try arguments.verb(of: Self.name)
        try arguments.refuse("--all", "--reason", at: verb, unless: .remove)
        // An address may have been given up and taken by another.
        try arguments.refuse("--email", at: verb, unless: .list)
        switch verb {
        case .list:
            try whose.requireOne()
            removal = nil
        case .remove:
            let kid = arguments.word()
            guard (kid == nil) == isAll else {
                throw UsageError(
                    sentence: "which? a KID or --all, one of them; "
                        + "behind -- a KID that begins with -"
                )
            }
            let subject = try Arguments.required(whose.subject, "--subject", "whose key")
            removal = (kid, subject, try Arguments.reason(reason))
        }
    }

    func run() -> Int32 {
        CommandLoop.run(self) { [self] loop throws(CommandFailure) in
            if let removal {
                return try await remove(removal.kid, removal.subject, removal.reason, on: loop)
            }
            return try await list(on: loop)
        }
    }

    private func list(on loop: Loop) async throws(CommandFailure) -> Int32 {
        var keys: [JSON] = []
        var unreadable = 0
        for subject in try await whose.subjects(client, on: loop) {
            let found = try await client.biometricKeys(of: subject, on: loop)
            keys += found.keys
            unreadable += found.unreadable
        }
        Output.list(
            keys,
            Self.columns,
            under: "biometric_keys",
            beside: Output.unreadable(unreadable),
            asJSON: asJSON
        )
        if unreadable > 0 { Terminal.complain(Self.unreadable(unreadable)) }
        return 0
    }

    private static let columns: [Output.Column] = [
        ("KID", "kid"), ("CLIENT", "client_id"), ("DEVICE", "device"), ("SUB", "sub"),
        ("CREATED", "created_at"), ("LAST USED", "last_used_at"),
    ]

    private func remove(
        _ kid: String?,
        _ subject: String,
        _ reason: String,
        on loop: Loop
    ) async throws(CommandFailure) -> Int32 {
        let path = AdminClient.biometricKeysPath(of: subject)
        var members = [JSON.Member("reason", .string(reason))]
        if let kid { members.append(.init("kid", .string(kid))) }
        let result = try await client.post(
            path + (kid == nil ? "/remove_all" : "/remove"),
            .object(members),
            on: loop
        )
        guard let count = result["removed"]?.integer else {
            throw CommandFailure("the admin API did not say what it removed")
        }
        guard !asJSON else {
            Output.say(result)
            return 0
        }
        switch (kid, count) {
        case (let kid?, 0): Terminal.say("\(kid) was removed before.")
        case (let kid?, _): Terminal.say("Removed \(kid).")
        case (nil, 0): Terminal.say("There was none to remove.")
        case (nil, _): Terminal.say("Removed \(Self.counted(Int(count))).")
        }
        return 0
    }

    /// What a list leaves out.
    static func unreadable(_ count: Int) -> String {
        "\(counted(count)) cannot be read: the server's log says which."
    }

    /// `1 biometric key`, `2 biometric keys`.
    static func counted(_ count: Int) -> String {
        "\(count) biometric key\(count == 1 ? "" : "s")"
    }
}
