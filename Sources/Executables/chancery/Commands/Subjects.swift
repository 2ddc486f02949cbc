import OAuth
import Runtime

/// `chancery subjects`: the users of a project.
struct Subjects: Command {
    static let name = "subjects"
    static let summary = "find, disable, enable and erase users"
    static let help = """
        usage: chancery subjects find --email ADDRESS
               chancery subjects disable SUB --reason TEXT
               chancery subjects enable SUB --reason TEXT
               chancery subjects erase SUB --reason TEXT --final

        SUB is the sub of the user's tokens; find prints it.

          find         who signs in with an address
          disable      ends every session; nothing is issued to them until enable. Says how many
                       biometric keys they have: those outlive it, a thief's as well
          enable       they may sign in again; ended sessions stay ended
          erase        ends every session, destroys the keys of all personal data in the log and
                       frees the address; cannot be undone. After a failure, repeat it until it
                       succeeds; the issuers go on with it meanwhile. Keep the SUB until then:
                       find knows it no more

          --email ADDRESS   the address they sign in with
          --reason TEXT     why, 1-200 bytes; recorded with your name
          --final           needed to erase: nobody can bring it back
        \(AdminClient.help)
          --json            for programs

        example: chancery subjects find --email alice@example.com
        """

    private enum Verb: String, CaseIterable {
        case find, disable, enable, erase
    }

    private let verb: Verb
    private let subject: String
    private let email: String
    private let reason: String
    private let client: AdminClient
    let asJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        asJSON = arguments.flag("--json")
        client = try AdminClient(&arguments)
        let email = try arguments.value("--email")
        let reason = try arguments.value("--reason")
        let isFinal = arguments.flag("--final")
        verb = try arguments.verb(of: Self.name)
        try arguments.refuse("--email", at: verb, unless: .find)
        try arguments.refuse("--reason", at: verb, unless: .disable, .enable, .erase)
        try arguments.refuse("--final", at: verb, unless: .erase)
        guard verb != .find else {
            self.email = try Arguments.required(email, "--email", "whom to find")
            self.reason = ""
            subject = ""
            return
        }
        self.email = ""
        subject = try arguments.word("the user's SUB")
        self.reason = try Arguments.reason(reason)
        if verb == .erase, !isFinal {
            throw UsageError(sentence: "erasing cannot be undone: say --final if you mean it")
        }
    }

    func run() -> Int32 {
        CommandLoop.run(self) { [self] loop throws(CommandFailure) in
            guard verb != .find else { return try await find(on: loop) }
            let path = "/subjects/\(HTTPRequest.escaped(subject))/\(verb.rawValue)"
            let body = JSON.object([.init("reason", .string(reason))])
            let result = try await client.post(path, body, on: loop)
            guard !asJSON else {
                Output.say(await answer(result, on: loop))
                return 0
            }
            Terminal.say("Done: \(verb.rawValue) \(subject).")
            tellLeft(result["left"]?.string)
            if verb != .erase { await tellKeys(on: loop) }
            return 0
        }
    }

    /// What `--json` says of the change: the API's answer, with the number of biometric keys where
    /// they outlive it; null: that is not known.
    private func answer(_ result: JSON, on loop: Loop) async -> JSON {
        guard verb != .erase, case .object(var members) = result else { return result }
        do throws(CommandFailure) {
            // Nobody has been told yet that the change is made.
            let found = try await client.impatient.biometricKeys(of: subject, on: loop)
            members.append(.init("biometric_keys", .integer(Int64(found.keys.count))))
            if found.unreadable > 0 {
                let count = JSON.integer(Int64(found.unreadable))
                members.append(.init("unreadable_biometric_keys", count))
            }
        } catch {
            Terminal.complain("Their biometric keys are not known: \(error.sentence)")
            members.append(.init("biometric_keys", .null))
        }
        return .object(members)
    }

    /// What the change, which is made, leaves of the user's sessions.
    private func tellLeft(_ left: String?) {
        switch left {
        case nil: return
        case "waiting":
            Terminal.complain(
                "Their sessions refuse; the issuers go on recording them as ended."
            )
        default:
            Terminal.complain(
                """
                Not every session could be ended: one cannot be read, and refuses while that is so.
                  The server's log says which. During an upgrade: finish it, then disable them \
                \(verb == .disable ? "" : "and enable them ")once more.
                """
            )
        }
    }

    /// What logs the user in once they are enabled, whoever has their phones.
    ///
    /// The change is made, whatever comes of this.
    private func tellKeys(on loop: Loop) async {
        let whose = "--subject \(subject)" + (client.namedProject.map { " --project \($0)" } ?? "")
        let listing = "chancery biometric-keys list \(whose)"
        do throws(CommandFailure) {
            let found = try await client.biometricKeys(of: subject, on: loop)
            if found.unreadable > 0 {
                Terminal.complain(BiometricKeys.unreadable(found.unreadable))
            } else if found.keys.isEmpty {
                Terminal.say("They have no biometric key.")
            }
            guard !found.keys.isEmpty else { return }
            let keys = BiometricKeys.counted(found.keys.count)
            let isOff = verb == .disable
            Terminal.say(
                """
                They have \(keys), good for a login \(isOff ? "once they are enabled" : "again"), \
                whoever has the phone:
                  \(listing)
                After a theft\(isOff ? ", before you enable them" : ""):
                  chancery biometric-keys remove --all \(whose) --reason TEXT
                """
            )
        } catch {
            Terminal.complain("Their biometric keys are not known: \(error.sentence)")
            Terminal.complain("  Look: \(listing)")
        }
    }

    private func find(on loop: Loop) async throws(CommandFailure) -> Int32 {
        let query = [(name: "email", value: email)]
        let subjects = try await client.list("/subjects", "subjects", query: query, on: loop)
        let columns: [Output.Column] = [
            ("SUB", "sub"), ("STATUS", "status"), ("CREATED", "created_at"),
        ]
        Output.list(subjects, columns, asJSON: asJSON)
        return 0
    }
}
