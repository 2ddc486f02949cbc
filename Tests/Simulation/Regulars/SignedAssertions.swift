import Domain
import Issuing

// @unchecked: touched by the one thread that runs the simulation.
/// What servers have signed to prove themselves: a text reads as what was signed, and is by that
/// key alone (WireContract 6.3).
final class SignedAssertions: ClientAssertionVerifier, @unchecked Sendable {
    struct Assertion {
        /// `iss` and `sub`.
        var client: String
        /// The client whose key has signed it.
        var signer: String
        var audience: String
        /// `jti`.
        var id: String
        var expiresAt: Instant
    }

    private var signed: [[UInt8]: Assertion] = [:]

    func sign(_ assertion: Assertion) -> [UInt8] {
        let text = Array("assertion.\(signed.count)".utf8)
        signed[text] = assertion
        return text
    }

    func verify(
        _ assertion: [UInt8],
        of client: ClientSettings,
        audiences: Set<String>,
        at now: Instant
    ) -> VerifiedAssertion? {
        guard let said = signed[assertion], ClientID(said.client) == client.id,
            ClientID(said.signer) == client.id, audiences.contains(said.audience)
        else { return nil }
        let ahead = said.expiresAt.seconds - now.seconds
        guard -60 < ahead, ahead <= 600 else { return nil }
        return VerifiedAssertion(id: Array(said.id.utf8), expiresAt: said.expiresAt)
    }

    func claimedSubject(of assertion: [UInt8]) -> ClientID? {
        signed[assertion].flatMap { ClientID($0.client) }
    }
}
