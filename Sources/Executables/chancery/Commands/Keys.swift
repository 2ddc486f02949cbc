import OAuth
import Runtime

/// `chancery keys`: a project's signing keys.
struct Keys: Command {
    static let name = "keys"
    static let summary = "list, stage, promote, retire and distrust signing keys"
    static let help = """
        usage: chancery keys list
               chancery keys stage [--alg ES256|RS256|EdDSA] --reason TEXT
               chancery keys promote KID [--emergency] --reason TEXT
               chancery keys retire KID --reason TEXT
               chancery keys compromise KID [--final] --reason TEXT

        A rotation takes three steps: stage publishes a new key; a day later, when every cache has
        it, promote lets it sign and leaves the old one published; retire takes the old one out
        after the longest token life.

          list         every key and its state, who brought it there and why
          stage        makes a key and publishes it; prints its KID. Without --alg it is of the
                       project's algorithm; to replace a stolen key, name that key's
          promote      signs with it from now on; --emergency is for a stolen key: it does not
                       wait for caches, refuses every token that the former key of the same
                       algorithm signed, and says which key that was
          retire       takes a key out of the published set
          compromise   retires a stolen key at once: tokens it signed are no longer accepted.
                       Of the key that signs it is refused: promote another with --emergency,
                       which takes the stolen one out; or say --final, and nothing of its
                       algorithm is signed until another is promoted

          --reason TEXT     why, 1-200 bytes; recorded with your name
        \(AdminClient.help)
          --json            for programs

        example: chancery keys stage --alg ES256 --reason "yearly rotation"
        """

    private enum Verb: String, CaseIterable {
        case list, stage, promote, retire, compromise
    }

    private let verb: Verb
    private let kid: String?
    private let isEmergency: Bool
    private let members: [JSON.Member]
    private let client: AdminClient
    let asJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        asJSON = arguments.flag("--json")
        client = try AdminClient(&arguments)
        let reason = try arguments.value("--reason")
        let algorithm = try arguments.value("--alg")
        isEmergency = arguments.flag("--emergency")
        let isFinal = arguments.flag("--final")
        verb = try arguments.verb(of: Self.name)
        var members: [JSON.Member] = []
        switch verb {
        case .list, .stage: kid = nil
        case .promote, .retire, .compromise:
            let named = try arguments.word("the key's KID")
            kid = named
            members.append(.init("kid", .string(named)))
        }
        try arguments.refuse("--alg", at: verb, unless: .stage)
        try arguments.refuse("--emergency", at: verb, unless: .promote)
        try arguments.refuse("--final", at: verb, unless: .compromise)
        try arguments.refuse("--reason", at: verb, unless: .stage, .promote, .retire, .compromise)
        if let algorithm, !["ES256", "RS256", "EdDSA"].contains(algorithm) {
            throw UsageError(sentence: "--alg is \(algorithm); it must be ES256, RS256 or EdDSA")
        }
        if let algorithm { members.append(.init("algorithm", .string(algorithm))) }
        if isEmergency { members.append(.init("emergency", .bool(true))) }
        if isFinal { members.append(.init("final", .bool(true))) }
        if verb != .list {
            members.append(.init("reason", .string(try Arguments.reason(reason))))
        }
        self.members = members
    }

    func run() -> Int32 {
        CommandLoop.run(self) { [self] loop throws(CommandFailure) in
            guard verb != .list else { return try await list(on: loop) }
            let path = "/keys/\(verb.rawValue)"
            let result = try await client.post(path, .object(members), on: loop)
            if asJSON {
                Output.say(result)
            } else if verb == .stage {
                Terminal.say(result["kid"]?.string ?? "")
                Terminal.complain(
                    "Promote it when every cache has it, in a day; at once where nothing signs."
                )
            } else {
                Terminal.say("Done: \(verb.rawValue) \(kid ?? "").")
                if isEmergency {
                    let former = result["compromised"]?.string
                    Terminal.say(former.map { "Taken out: \($0)." } ?? "No key was taken out.")
                }
            }
            return 0
        }
    }

    private func list(on loop: Loop) async throws(CommandFailure) -> Int32 {
        let keys = try await client.list("/keys", "keys", on: loop)
        guard !asJSON else {
            Output.say(.array(keys))
            return 0
        }
        Table.say(
            ["KID", "ALGORITHM", "STATUS", "STAGED", "BY", "REASON"],
            keys.map { key in
                let last = key["changes"]?.array?.last
                let members = ["kid", "algorithm", "status", "staged_at"].map { key[$0] }
                return (members + [last?["operator"], last?["reason"]]).map { $0?.shown ?? "" }
            }
        )
        return 0
    }
}
