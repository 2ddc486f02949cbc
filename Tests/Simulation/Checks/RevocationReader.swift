import Domain
import Publishing

/// A service that reads `chancery.revocations` by the rules for consumers (Events.md): of each key
/// it keeps the value with the greatest number, and asks all three keys of a token.
struct RevocationReader {
    private(set) var values: [String: RevocationRecord] = [:]

    mutating func takes(_ record: RevocationRecord) {
        if let known = values[record.key], known.index > record.index { return }
        values[record.key] = record
    }

    mutating func loses(_ key: String) { values[key] = nil }

    func knowsEnd(of session: SessionID) -> Bool { values["\(session)"] != nil }

    /// By the time of birth that the token tells, which is in whole seconds.
    func refuses(_ token: TokenID, of client: ClientID, in session: SessionID) -> Bool {
        if knowsEnd(of: session) || values["\(session)/t:\(token)"] != nil { return true }
        guard let end = values["\(session)/c:\(client.text)"]?.issuedBefore else { return false }
        return Instant(seconds: token.bornAt.seconds) < end
    }
}
