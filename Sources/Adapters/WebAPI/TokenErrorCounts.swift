internal import OAuth
internal import Runtime

/// `chancery_oauth_errors_total{grant,error}`: series are made when first needed, from closed sets.
final class TokenErrorCounts: Sendable {
    private static let other = "other"

    private struct Series: Hashable {
        let grantType: String
        let error: OAuthError.Code
    }

    private let metrics: Metrics
    private let grantTypes: [String]
    private let counters = Guarded<[Series: Counter]>([:])

    init(metrics: Metrics, grantTypes: [String]) {
        self.metrics = metrics
        self.grantTypes = grantTypes
    }

    /// What a client calls its grant type is a label only when it is one of ours.
    func count(_ error: OAuthError, grantType: [UInt8]?) {
        let known = grantTypes.first { name in grantType?.elementsEqual(name.utf8) ?? false }
        let series = Series(grantType: known ?? Self.other, error: error.code)
        let counter = counters.withLock { counters in
            if let counter = counters[series] { return counter }
            let counter = metrics.counter(
                "chancery_oauth_errors_total",
                "Token requests refused.",
                ["grant": series.grantType, "error": series.error.rawValue]
            )
            counters[series] = counter
            return counter
        }
        counter.add()
    }
}
