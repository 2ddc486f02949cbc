internal import OAuth

/// L7: failed link posts per address (Security 9).
struct LinkFailures {
    private let limits: RequestLimits
    private let key: [UInt8]

    init(_ limits: RequestLimits, _ request: Request) {
        self.limits = limits
        key = request.client.limitKey
    }

    func admit() throws(EnvelopeError) {
        try PipelineRefusal.refuseEnvelope(limits.check(.failedLink, key))
    }

    func admitPage() throws(OAuthError) {
        try PipelineRefusal.refuseOAuth(limits.check(.failedLink, key))
    }

    func record() { limits.charge(.failedLink, key) }
}

/// The number a person picks: exactly two digits.
enum LinkNumber {
    static func read(_ text: [UInt8]) -> Int? {
        text.count == 2 ? DecimalDigits.read(text).map { Int($0) } : nil
    }
}
