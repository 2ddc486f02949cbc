package import Domain

/// Makes and reads device secrets (OpenID Native SSO section 3.2, WireContract 5.1).
///
/// At rest is a digest alone. A successor is derived from it, so that requests that lost an answer
/// get the same value again, from any node.
///
/// A class, as `TokenEndpoint`: requests hand it on.
package final class DeviceSecrets: Sendable {
    private let digester: any Digester
    private let entropy: any Entropy

    package init(digester: any Digester, entropy: any Entropy) {
        self.digester = digester
        self.entropy = entropy
    }

    /// A value that goes out, and what an ID token says of it.
    package struct Handed: Sendable {
        package var text: [UInt8]
        package var hash: TokenDigest
    }

    /// A presented value; nil for what never was one.
    func read(_ text: [UInt8]) -> OpaqueToken? {
        OpaqueToken(.deviceSecret, reading: text, digester: digester)
    }

    /// The first of a session.
    func first(of session: SessionID) -> OpaqueToken {
        token(of: session.stream, entropy.bytes(32))
    }

    /// What follows the current one.
    func successor(of current: OfflineGrant.DeviceSecret, in session: StreamID) -> OpaqueToken {
        let next = current.generation &+ 1
        let preimage = Self.preimage(from: current.digest, generation: next, in: session)
        return token(of: session, digester.mac(.deviceSecret, preimage).bytes)
    }

    /// The current one again; nil when it was not derived, or with a root secret that is gone.
    func again(_ current: OfflineGrant.DeviceSecret, in session: StreamID) -> OpaqueToken? {
        guard let previous = current.previous else { return nil }
        let generation = current.generation
        let preimage = Self.preimage(from: previous, generation: generation, in: session)
        let macs = digester.macs(.deviceSecret, preimage)
        return [macs.current, macs.second].lazy.compactMap { mac in
            mac.map { self.token(of: session, $0.bytes) }
        }.first { $0.digest == current.digest }
    }

    func handed(_ token: OpaqueToken) -> Handed {
        Handed(text: token.text, hash: hash(of: token.digest))
    }

    /// `ds_hash`, keyed: a reader of the ID token can neither test guesses nor link devices.
    func hash(of secret: TokenDigest) -> TokenDigest {
        digester.mac(.deviceSecretHash, secret.bytes)
    }

    func isHash(_ hash: TokenDigest, of secret: TokenDigest) -> Bool {
        digester.isValid(hash, .deviceSecretHash, secret.bytes)
    }

    private static func preimage(
        from digest: TokenDigest,
        generation: UInt32,
        in session: StreamID
    ) -> [UInt8] {
        var bytes = session.bytes
        bytes.append(bigEndian: generation)
        digest.append(to: &bytes)
        return bytes
    }

    private func token(of session: StreamID, _ secret: [UInt8]) -> OpaqueToken {
        OpaqueToken(.deviceSecret, stream: session, secret: secret, digester: digester)
    }
}
