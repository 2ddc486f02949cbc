package import Issuing
internal import Runtime

/// Request contexts in memory.
package final class InMemoryContextLog: ContextLog {
    private let contexts = Guarded<[RequestContext]>([])

    package init() {}

    /// What was recorded, oldest first.
    package var recorded: [RequestContext] { contexts.withLock { $0 } }

    package func record(_ context: RequestContext) { contexts.withLock { $0.append(context) } }
}
