internal import Issuing
internal import OAuth

extension EnvelopeError {
    /// A body with something wrong in it.
    static func invalid(_ causes: [Cause]) -> Self {
        Self(.validationFailed, "invalid request body", causes: causes)
    }

    /// What an operator hears of a command that did not happen.
    init(_ error: OperationError) {
        switch error {
        case .notFound: self.init(.notFound, "not found")
        case .conflict(let why):
            self.init(.conflict, "the state does not allow this now", cause: why)
        case .invalid(let findings):
            self.init(
                .validationFailed,
                "the project document is invalid",
                causes: findings.lines.map(Self.finding)
            )
        case .store(let why): self.init(.serviceUnavailable, "try again", cause: "\(why)")
        case .keys(let why): self.init(.serviceUnavailable, "try again", cause: "\(why)")
        }
    }

    /// A line `<path>: <what is wrong>`; the path is an operator's own text, so it goes back.
    private static func finding(_ line: String) -> Cause {
        let bytes = Array(line.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[(colon + 1)...].first == UInt8(ascii: " ")
        else { return .general("", line) }
        return .general(
            String(decoding: bytes[..<colon], as: UTF8.self),
            String(decoding: bytes[(colon + 2)...], as: UTF8.self)
        )
    }
}
