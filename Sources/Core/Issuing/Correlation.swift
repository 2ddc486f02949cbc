package import Domain

/// The outermost request that a command belongs to (events.md section 1).
package struct Correlation: Hashable, Sendable {
    /// The request's id; of a traced request, its trace id.
    package var request: StreamID
    /// W3C Trace Context, as a trusted proxy sent it; nil when none did.
    package var traceparent: String?

    package init(request: StreamID, traceparent: String? = nil) {
        self.request = request
        self.traceparent = traceparent
    }
}
