internal import Domain
internal import OAuth

extension SigningKeyRing.Event {
    var storedType: StoredType {
        switch self {
        case .staged: .signingKeyStaged
        case .promoted: .signingKeyPromoted
        case .retired: .signingKeyRetired
        case .removed: .signingKeyRemoved
        case .compromised: .signingKeyCompromised
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .staged(let kid, let algorithm, let publicKey, _):
            payload.member("alg", algorithm.rawValue)
            payload.member("kid", kid)
            payload.member("public_key", json: publicKey)
        case .promoted(let kid, let emergency):
            payload.member("emergency", emergency)
            payload.member("kid", kid)
        case .retired(let kid, _), .removed(let kid):
            payload.member("kid", kid)
        case .compromised(let kid, let issuedBefore):
            payload.member("issued_before_at", issuedBefore)
            payload.member("kid", kid)
        }
    }

    static func staged(from payload: PayloadReader) throws(FormatError) -> Self {
        .staged(
            kid: try payload.text("kid"),
            try payload.choice("alg"),
            publicKey: try payload.json("public_key"),
            at: payload.occurredAt
        )
    }

    static func promoted(from payload: PayloadReader) throws(FormatError) -> Self {
        .promoted(kid: try payload.text("kid"), emergency: try payload.bool("emergency"))
    }

    static func retired(from payload: PayloadReader) throws(FormatError) -> Self {
        .retired(kid: try payload.text("kid"), at: payload.occurredAt)
    }

    static func removed(from payload: PayloadReader) throws(FormatError) -> Self {
        .removed(kid: try payload.text("kid"))
    }

    static func compromised(from payload: PayloadReader) throws(FormatError) -> Self {
        .compromised(
            kid: try payload.text("kid"),
            issuedBefore: try payload.time("issued_before_at")
        )
    }
}
