internal import Domain
internal import OAuth

extension Spent.Event {
    var storedType: StoredType {
        switch self {
        case .spent: .spentSpent
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .spent(let purpose, let expiresAt):
            payload.member("expires_at", expiresAt)
            payload.member("purpose", purpose.rawValue)
        }
    }

    static func spent(from payload: PayloadReader) throws(FormatError) -> Self {
        .spent(try payload.choice("purpose"), expiresAt: try payload.time("expires_at"))
    }
}
