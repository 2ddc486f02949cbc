package import Domain

/// The outermost request that a command belongs to (Events 1).
package struct Correlation: Hashable, Sendable {
    /// The request's id; of a traced request, its trace id.
    package var request: StreamID
    /// W3C Trace Context, as a trusted proxy sent it; nil when none did.
    package var traceparent: String?
    /// Who sent it; no part of any event.
    package var source: (any RequestSource)?

    package init(
        request: StreamID,
        traceparent: String? = nil,
        source: (any RequestSource)? = nil
    ) {
        self.request = request
        self.traceparent = traceparent
        self.source = source
    }

    /// The id tells one request from another.
    package static func == (left: Self, right: Self) -> Bool {
        left.request == right.request && left.traceparent == right.traceparent
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(request) }
}
