internal import Domain
internal import OAuth

extension PreAuthenticatedURL.Event {
    var storedType: StoredType {
        switch self {
        case .issued: .preAuthenticatedURLIssued
        case .consumed: .preAuthenticatedURLConsumed
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .issued(let ticket):
            payload.member("client", ticket.client)
            payload.member("expires_at", ticket.expiresAt)
            payload.member("grant", ticket.session.stream)
            payload.member("scope", ticket.scope)
            payload.member("secret", ticket.secret)
        case .consumed(let token, let expiresAt):
            payload.member("expires_at", expiresAt)
            payload.member("jti", token.stream)
        }
    }

    static func issued(from payload: PayloadReader) throws(FormatError) -> Self {
        .issued(
            PreAuthenticatedURL.Ticket(
                session: SessionID(try payload.stream("grant")),
                client: try payload.client(),
                scope: try payload.scope(),
                secret: try payload.digest("secret"),
                expiresAt: try payload.time("expires_at")
            )
        )
    }

    static func consumed(from payload: PayloadReader) throws(FormatError) -> Self {
        .consumed(
            TokenID(try payload.stream("jti")),
            expiresAt: try payload.time("expires_at")
        )
    }
}
