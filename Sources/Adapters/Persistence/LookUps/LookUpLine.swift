internal import Domain
internal import Issuing
internal import Runtime

// @unchecked: touched on its loop alone.
/// The look-ups of one kind that wait for a query, and those whose query is under way.
final class LookUpLine<Question: LookUp>: WaitingLine, @unchecked Sendable {
    /// What each of those that asked together hears.
    typealias Reading = @Sendable (Question) -> Question.Answer
    typealias Query =
        @Sendable (_ questions: [Question], _ deadline: Deadline)
        async throws(StoreError) -> Reading

    private let query: Query
    private var waiting: [Waiter<Question>] = []
    private var underWay: [Waiter<Question>] = []

    init(_ query: @escaping Query) { self.query = query }

    var isEmpty: Bool { waiting.isEmpty }

    func join(_ waiter: Waiter<Question>) { waiting.append(waiter) }

    func take() -> LookUps.Query {
        var load = QueryLoad()
        let first = waiting.firstIndex { !load.add($0.question.streams) } ?? waiting.count
        let part = Array(waiting[..<first])
        waiting.removeSubrange(..<first)
        underWay += part
        return LookUps.Query(weight: Self.weight(part)) { [self] in
            await ask(for: part)
            // No key paths here: in a generic class each use of one makes it anew.
            underWay.removeAll { $0.isAnswered }
        }
    }

    func expire(at now: MonotonicInstant) -> Int {
        func isLate(_ waiter: Waiter<Question>) -> Bool {
            MonotonicInstant(waiter.deadline) <= now
        }
        let late = waiting.filter(isLate)
        waiting.removeAll(where: isLate)
        for waiter in late + underWay.filter(isLate) { waiter.answer(.failure(.unavailable)) }
        return Self.weight(late)
    }

    private func ask(for part: [Waiter<Question>]) async {
        // Who has less time hears at the sweep.
        let latest = part.map({ $0.deadline }).max() ?? Deadline(nanoseconds: 0)
        do throws(StoreError) {
            let reading = try await query(part.map { $0.question }, latest)
            for waiter in part { waiter.answer(.success(reading(waiter.question))) }
        } catch {
            for waiter in part { waiter.answer(.failure(error)) }
        }
    }

    private static func weight(_ waiters: [Waiter<Question>]) -> Int {
        waiters.reduce(0) { $0 + $1.question.streams.count }
    }
}

/// What one query takes: so many look-ups, and so many streams, each counted once.
private struct QueryLoad {
    private var count = 0
    private var streams: Set<StreamID> = []

    /// False when that is more than one query takes.
    mutating func add(_ more: [StreamID]) -> Bool {
        count += 1
        streams.formUnion(more)
        return max(count, streams.count) <= LookUps.streamsPerQueryMax
    }
}
