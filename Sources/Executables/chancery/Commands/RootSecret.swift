import Domain
import Issuing
import OAuth
import Runtime
import Signing

/// `chancery root-secret`: replaces what an issuer's keyed values derive from (decision 0205).
struct RootSecret: Command {
    static let name = "root-secret"
    static let summary = "show and replace the root secret of the issuers"
    static let help = """
        usage: chancery root-secret show [--config FILE] [--json]
               chancery root-secret stage [--config FILE] [--json]
               chancery root-secret promote [--emergency] [--config FILE] [--json]
               chancery root-secret retire [--config FILE] [--json]

        Forms, links, challenges, cookies of app sessions and the next token after a refresh token
        are keyed with it. It lies in keys.directory, sealed; run this there, as the user of
        token-issuer. Under its unit the key encryption key is a credential: Production, Keys, has
        the line for systemd-run that gives it. Issuers that share the directory take what changed
        within seconds, without a restart. Where each has a copy, copy root.key to all after every
        step, before the next.

        A replacement takes three steps, and no session ends:

          show         its id, and the id and the time of a second one
          stage        makes the next one, which from now on verifies and makes nothing
          promote      ten minutes later, when chancery_root_secret_id{standing="next"} is on every
                       issuer what show says: makes new values with it; the former one verifies
          retire       a day later: takes the former one out. Single sign-on of native apps by an ID
                       token of before is refused then, until the app has refreshed. It also takes
                       out a next one that shall not be promoted

          --emergency  with promote, when the secret was stolen: makes another at once, in place of
                       a next one, too, and verifies with no other. Pages that are open, cookies
                       of app sessions, links in mails and challenges begin again; sessions and
                       refresh tokens go on. Once: each call makes another. After an answer that
                       was lost, show says whether its id is another than before
          --config FILE  settings with the section keys
                       (/etc/chancery/token-issuer.yaml, else .chancery/config/token-issuer.yaml)
          --json       one JSON object on standard output

        example: chancery root-secret show --config /etc/chancery/token-issuer.yaml
        """

    private enum Verb: String, CaseIterable {
        case show, stage, promote, retire
    }

    private let verb: Verb
    private let isEmergency: Bool
    private let config: String?
    let asJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        config = try arguments.value("--config")
        asJSON = arguments.flag("--json")
        isEmergency = arguments.flag("--emergency")
        verb = try arguments.verb(of: Self.name)
        try arguments.refuse("--emergency", at: verb, unless: .promote)
    }

    func run() -> Int32 {
        do throws(CommandFailure) {
            let directory = try IssuerKeys(config).directory()
            let lock = try verb == .show ? nil : lock(directory)
            defer { withExtendedLifetime(lock) {} }
            let before = try IssuerKeys.reading { () throws(KeyFileError) in
                try directory.rootSecrets()
            }
            guard verb != .show else {
                tell(before)
                return 0
            }
            let after = try step(from: before)
            try IssuerKeys.reading { () throws(KeyFileError) in
                try directory.replaceRootSecrets(with: after)
            }
            tell(after)
            if !asJSON { Terminal.complain(next) }
            return 0
        } catch {
            return CommandLoop.tell(error, asJSON: asJSON)
        }
    }

    private func lock(_ directory: KeyDirectory) throws(CommandFailure) -> FileLock {
        let lock = try IssuerKeys.reading { () throws(KeyFileError) in try directory.lock() }
        guard let lock else {
            throw CommandFailure(
                "another command, or an issuer, changes the key directory now",
                remedy: "Look what came of it, then repeat what is missing.",
                status: 75
            )
        }
        return lock
    }

    private func step(from secrets: RootSecrets) throws(CommandFailure) -> RootSecrets {
        let now = Instant(microseconds: WallTime.nowMicroseconds())
        do throws(RootSecrets.Refusal) {
            switch verb {
            case .show: return secrets
            case .stage: return try secrets.staging(at: now)
            case .promote:
                return try isEmergency ? secrets.renewed() : secrets.promoting(at: now)
            case .retire: return try secrets.retiring(at: now)
            }
        } catch { throw Self.failure(error) }
    }

    private static func failure(_ refusal: RootSecrets.Refusal) -> CommandFailure {
        switch refusal {
        case .underWay(.next):
            CommandFailure(
                "a next root secret is staged already",
                remedy: "promote it, or take it out with retire."
            )
        case .underWay(.former):
            CommandFailure(
                "the former root secret still verifies",
                remedy: "retire it first; show says since when it is the former one."
            )
        case .absent(.next):
            CommandFailure("no root secret is staged", remedy: "stage one first.")
        case .absent(.former):
            CommandFailure("there is no root secret but the current one")
        case .early(.next, let until):
            CommandFailure(
                "not every issuer may have read the next root secret yet",
                remedy: "promote it at \(Self.text(until)) or later."
            )
        case .early(.former, let until):
            CommandFailure(
                "values that were made with the former root secret may still be in use",
                remedy: "retire it at \(Self.text(until)) or later."
            )
        }
    }

    private var next: String {
        switch verb {
        case .show: ""
        case .stage:
            """
            Promote it in ten minutes or later, when chancery_root_secret_id{standing="next"} is \
            this id on every issuer.
            """
        case .promote where isEmergency:
            "Issuers that share the directory take it within seconds; copy root.key to all others."
        case .promote: "Retire the former one in a day or later."
        case .retire: "Done."
        }
    }

    private func tell(_ secrets: RootSecrets) {
        let outline = secrets.outline
        let second = outline.second
        guard !asJSON else {
            let members: [JSON.Member]? = second.map { second in
                [
                    .init("id", .integer(Int64(second.id))),
                    .init("standing", .string(second.standing.rawValue)),
                    .init("since", .string(Self.text(second.since))),
                ]
            }
            return Output.say(
                .object([
                    .init("id", .integer(Int64(outline.id))),
                    .init("second", members.map { .object($0) } ?? .null),
                ])
            )
        }
        let rows = [["current", "\(outline.id)", ""]]
        let others = second.map { [[$0.standing.rawValue, "\($0.id)", Self.text($0.since)]] } ?? []
        Table.say(["STANDING", "ID", "SINCE"], rows + others)
    }

    private static func text(_ instant: Instant) -> String {
        CivilTime(microseconds: instant.microseconds).rfc3339
    }
}
