internal import Domain
package import OAuth

/// Signs messages for the process that delivers them, and nothing that opens anything
/// (Architecture 3): a stolen projector can announce false logouts but mint no token.
package struct InnerSigning: Sendable {
    /// The types it signs: none of them is accepted as a token anywhere.
    package static let types = ["logout+jwt", "secevent+jwt", "statuslist+jwt"]
    /// Set here and so never taken from the caller.
    private static let own = ["iss", "iat", "jti"]
    /// With these a message could be mistaken for a token.
    private static let forbidden = ["scope", "nonce", "client_id", "cnf"]

    package enum Refusal: Error, Hashable {
        case type
        /// A claim that is set here, could make a token of it, or is there twice.
        case claim(String)
        case notAnObject
        case signing(SigningError)
    }

    private let signer: any TokenSigner
    private let clock: any WallClock
    private let entropy: any Entropy

    package init(signer: any TokenSigner, clock: any WallClock, entropy: any Entropy) {
        self.signer = signer
        self.clock = clock
        self.entropy = entropy
    }

    /// The message as a JWT of `type`, with `iss`, `iat` and a new `jti` before the claims given.
    package func sign(type: String, claims: JSON, for project: Project)
        throws(Refusal) -> [UInt8]
    {
        guard Self.types.contains(type) else { throw .type }
        guard let members = claims.members else { throw .notAnObject }
        for member in members where Self.own.contains(member.name) {
            throw .claim(member.name)
        }
        for member in members where Self.forbidden.contains(member.name) {
            throw .claim(member.name)
        }
        let now = clock.now
        let id = StreamID.timeOrdered(at: now, from: entropy)
        var writer = JSONWriter(reserving: 1024)
        writer.object { writer in
            writer.member("iss", project.issuer)
            writer.member("iat", now.seconds)
            writer.member("jti", id.description)
            for member in members { writer.member(member.name, member.value) }
        }
        do { return try signer.sign(type: type, claims: writer.bytes, for: project) } catch {
            throw .signing(error)
        }
    }
}
