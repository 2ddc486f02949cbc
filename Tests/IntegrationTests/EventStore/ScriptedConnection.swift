import Domain
import Issuing
import Persistence
import Postgres
import Runtime

/// PostgreSQL that answers nothing, or appends and keeps snapshots as it is told.
struct ScriptedConnection: LogConnection {
    let loop: Loop
    /// What each call refuses; nil is no answer.
    var refusals: [Int32]?
    /// Told of each append.
    var onBatch: (@Sendable (AppendBatch) -> Void)?
    /// What each append does instead.
    var onAppend: (@Sendable () async throws(PostgresError) -> [Int32])?
    /// What happens while the connection is waited for.
    var onWait: (@Sendable () -> Void)?
    /// What is found of commands whose answer was lost; nil is no answer.
    var found: [FoundCommand]?
    /// What becomes of snapshots; nil: they are kept.
    var onKeep: (@Sendable ([KeptSnapshot]) async throws(PostgresError) -> Void)?

    func start() {}
    func stop() {}

    private func never() async -> PostgresError {
        try? await loop.sleep(until: loop.now.advanced(by: .seconds(86_400)))
        return .notConnected
    }

    func waitUntilReady(deadline: MonotonicInstant) async throws(PostgresError) { onWait?() }

    func append(_ batch: AppendBatch, deadline: MonotonicInstant)
        async throws(PostgresError) -> [Int32]
    {
        onBatch?(batch)
        if let onAppend { return try await onAppend() }
        if let refusals { return refusals }
        throw await never()
    }

    func commands(at commands: [EncodedCommand], deadline: MonotonicInstant)
        async throws(PostgresError) -> [FoundCommand]
    {
        if let found { return found }
        throw await never()
    }

    func rows(of wanted: [WantedStream], deadline: MonotonicInstant)
        async throws(PostgresError) -> [StreamRow]
    {
        throw await never()
    }

    func keep(_ snapshots: [KeptSnapshot], deadline: MonotonicInstant)
        async throws(PostgresError)
    {
        try await onKeep?(snapshots)
    }

    func heads(of streams: [StreamID], deadline: MonotonicInstant)
        async throws(PostgresError) -> [Int32]
    {
        throw await never()
    }

    func history(of stream: StreamID, after version: Int32, deadline: MonotonicInstant)
        async throws(PostgresError) -> [StreamRow]
    {
        throw await never()
    }

    func opened(
        for subject: SubjectID,
        types: [Int16],
        before: Int64,
        limit: Int,
        deadline: MonotonicInstant
    ) async throws(PostgresError) -> [OpenedStream] {
        throw await never()
    }

    func position(of stream: StreamID, for subject: SubjectID, deadline: MonotonicInstant)
        async throws(PostgresError) -> Int64?
    {
        throw await never()
    }
}
