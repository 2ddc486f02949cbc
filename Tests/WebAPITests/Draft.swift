import Crypto
import Domain
import OAuth

/// A JWT of a phone with everything right, for somebody to spoil.
struct Draft: Sendable {
    let phone: Phone
    var header: Members
    var payload: Members

    /// What a signature is made of.
    var signed: [UInt8] { Phone.signed(header, payload) }

    /// Signed by the phone, or by somebody else.
    func compact(by signer: SigningKey? = nil) throws -> String {
        try phone.jwt(header, payload, by: signer)
    }

    /// With these bytes in the place of a signature.
    func compact(_ signature: [UInt8]) -> String { Phone.compact(signed, signature) }

    /// With another member in its header, or without it.
    func heading(_ name: String, _ value: JSON?) -> Self {
        var draft = self
        draft.header = header.setting(name, value)
        return draft
    }

    /// With another member in its embedded key, or without it.
    func keying(_ name: String, _ value: JSON?) -> Self {
        let members = (phone.jwk.members ?? []).map { ($0.name, $0.value) }.setting(name, value)
        return heading("jwk", .object(members.map { JSON.Member($0.0, $0.1) }))
    }
}
