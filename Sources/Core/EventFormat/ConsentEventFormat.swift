internal import Domain
internal import OAuth

extension Consent.Event {
    var storedType: StoredType {
        switch self {
        case .given: .consentGiven
        case .withdrawn: .consentWithdrawn
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .given(let client, let scope):
            payload.member("client", client)
            payload.member("scope", scope)
        case .withdrawn(let client, let withdrawer):
            payload.member("by", withdrawer.rawValue)
            payload.member("client", client)
        }
    }

    static func given(from payload: PayloadReader) throws(FormatError) -> Self {
        .given(try payload.client(), try payload.scope())
    }

    static func withdrawn(from payload: PayloadReader) throws(FormatError) -> Self {
        .withdrawn(try payload.client(), by: try payload.choice("by"))
    }
}
