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
        var streams: Set<StreamID> = []
        let part = Array(
            waiting.prefix(LookUps.streamsPerQueryMax).prefix { waiter in
                streams.formUnion(waiter.question.streams)
                return streams.count <= LookUps.streamsPerQueryMax
            }
        )
        waiting.removeFirst(part.count)
        underWay += part
        return LookUps.Query(weight: Self.weight(part)) { [self] in
            await ask(for: part)
            underWay.removeAll(where: \.isAnswered)
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
        let latest = part.map(\.deadline).max() ?? Deadline(nanoseconds: 0)
        do throws(StoreError) {
            let reading = try await query(part.map(\.question), latest)
            for waiter in part { waiter.answer(.success(reading(waiter.question))) }
        } catch {
            for waiter in part { waiter.answer(.failure(error)) }
        }
    }

    private static func weight(_ waiters: [Waiter<Question>]) -> Int {
        waiters.reduce(0) { $0 + $1.question.streams.count }
    }
}
