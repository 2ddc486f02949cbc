internal import Postgres
internal import Publishing
internal import Runtime

// @unchecked: touched on `loop` alone.
/// Reads the published order one run ahead of whoever applies it.
final class LedgerAhead: @unchecked Sendable {
    private static let answerMax = Duration.seconds(60)

    private let connection: Connection
    private let loop: Loop
    private let signal: LoopSignal
    private var answer: Result<[ProjectedRow], PostgresError>?
    private var place: Int64
    private var isAsking = false

    init(_ connection: Connection, on loop: Loop, after index: Int64) {
        self.connection = connection
        self.loop = loop
        signal = LoopSignal(on: loop)
        place = index
        ask()
    }

    /// The next run; nil when there is nothing yet.
    func next() async throws(PostgresError) -> PublishedRange? {
        if answer == nil { ask() }
        while answer == nil { await signal.wait(until: .now().advanced(by: .seconds(1))) }
        let rows = try answer?.get() ?? []
        answer = nil
        guard let last = rows.last?.index else { return nil }
        place = last
        ask()
        return PublishedRange(rows)
    }

    private func ask() {
        guard !isAsking else { return }
        isAsking = true
        loop.spawn { [self] in
            do throws(PostgresError) {
                answer = .success(
                    try await connection.query(
                        .published(after: place),
                        deadline: .now().advanced(by: Self.answerMax)
                    )
                )
            } catch { answer = .failure(error) }
            isAsking = false
            signal.raise()
        }
    }
}
