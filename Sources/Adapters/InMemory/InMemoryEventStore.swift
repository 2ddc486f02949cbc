package import Domain
package import Issuing
internal import Runtime

/// The event log in memory: the same promises as PostgreSQL's, for tests and the simulator.
package final class InMemoryEventStore: EventStore {
    /// What a test lets go wrong with the next append.
    package enum Fault: Sendable {
        /// None: it is a later append that fails.
        case taken
        case unavailable
        /// Committed, but the caller never hears it.
        case answerLost
        case conflict
    }

    private struct Contents {
        var streams: [StreamID: [RecordedEvent]] = [:]
        var commands: [CommandID] = []
        var faults: [Fault] = []
        var appended: [Commit] = []
        var meanwhile: (@Sendable () async -> Void)?
        var historiesRead = 0
        var isUnconfirmed = false

        /// Oldest first.
        func opened(for subject: SubjectID) -> [OpenedStream] {
            var found: [OpenedStream] = []
            var position: Int64 = 0
            for commit in appended {
                for append in commit.streams {
                    position += 1
                    guard commit.attributes.subject == subject,
                        append.events.contains(where: \.opens)
                    else { continue }
                    found.append(
                        OpenedStream(
                            append.stream,
                            append.kind,
                            at: position,
                            isOver: streams[append.stream]?.last?.body.isFinal ?? false,
                            isUntouched: streams[append.stream]?.count == 1
                        )
                    )
                }
            }
            return found
        }
    }

    private let contents = Guarded(Contents())

    package init() {}

    /// Faults of the next appends, in order.
    package func fail(_ faults: Fault...) {
        contents.withLock { $0.faults += faults }
    }

    /// Takes back what `fail` has announced.
    package func succeed() { contents.withLock { $0.faults = [] } }

    /// Lets `body` happen between the next command's decision and its append.
    package func beforeNextAppend(_ body: @escaping @Sendable () async -> Void) {
        contents.withLock { $0.meanwhile = body }
    }

    /// Whether the log may yet be lost with what it shows: nobody is told that it lasts.
    package var isUnconfirmed: Bool {
        get { contents.withLock { $0.isUnconfirmed } }
        set { contents.withLock { $0.isUnconfirmed = newValue } }
    }

    /// Puts an event behind a stream that nobody can fold.
    package func spoil(_ stream: StreamID) {
        contents.withLock { contents in
            guard let last = contents.streams[stream]?.last else { return }
            var event = last
            event.version += 1
            event.body = .offlineGrant(.deviceSecretUsed(generation: .max))
            contents.streams[stream]?.append(event)
        }
    }

    /// How often a page of some stream's events was asked for.
    package var historiesRead: Int { contents.withLock { $0.historiesRead } }

    /// Every commit taken, oldest first.
    package var commits: [Commit] { contents.withLock { $0.appended } }

    /// Every event of a stream.
    package func events(of stream: StreamID) -> [DomainEvent] {
        contents.withLock { $0.streams[stream, default: []].map(\.body) }
    }

    /// Every event there is, in no order across streams.
    package var allEvents: [RecordedEvent] {
        contents.withLock { contents in
            contents.appended.flatMap(\.streams).map(\.stream).reduce(into: [StreamID]()) {
                if !$0.contains($1) { $0.append($1) }
            }.flatMap { contents.streams[$0, default: []] }
        }
    }

    package func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        let history = contents.withLock { $0.streams[stream, default: []] }
        var state = A.initial
        // A stream of another kind is none of this aggregate's: ids can be made up.
        let isOwn = history.first.map { A.unwrap($0.body) != nil } ?? true
        for recorded in isOwn ? history : [] {
            guard let event = A.unwrap(recorded.body), let next = A.evolve(state, by: event) else {
                throw .corrupt(stream, version: recorded.version)
            }
            state = next
        }
        return Loaded(
            stream: stream,
            project: history.first?.project,
            version: Int32(history.count),
            hash: nil,
            occurredAt: history.last?.occurredAt,
            state: state,
            isCurrent: true
        )
    }

    package func loadCurrent<A: Aggregate>(
        _ aggregate: A.Type,
        _ stream: StreamID,
        by deadline: Deadline
    ) async throws(StoreError) -> Loaded<A> {
        try await load(aggregate, stream, by: deadline)
    }

    package func areCurrent(_ streams: [StreamGuard], by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        contents.withLock { contents in
            streams.allSatisfy { contents.streams[$0.stream, default: []].count == $0.version }
        }
    }

    package func confirm(by deadline: Deadline) async throws(StoreError) {
        if isUnconfirmed { throw .unavailable }
    }

    package func append(_ commit: Commit, by deadline: Deadline) async throws(StoreError) {
        let meanwhile = contents.withLock { contents in
            defer { contents.meanwhile = nil }
            return contents.meanwhile
        }
        await meanwhile?()
        try contents.withLock { contents throws(StoreError) in
            let fault = contents.faults.isEmpty ? nil : contents.faults.removeFirst()
            switch fault {
            case .unavailable: throw .unavailable
            case .conflict: throw .conflict
            case .taken, .answerLost, nil: break
            }
            try Self.take(commit, into: &contents)
            if case .answerLost = fault { throw .outcomeUnknown }
        }
    }

    private static func take(_ commit: Commit, into contents: inout Contents) throws(StoreError) {
        guard commit.isWithinBounds else {
            throw .corrupt(commit.streams.first?.stream ?? commit.command.stream, version: 0)
        }
        for append in commit.streams {
            let head = contents.streams[append.stream, default: []].count
            guard head == append.expected else { throw .conflict }
        }
        for held in commit.guards {
            let head = contents.streams[held.stream, default: []].count
            guard head == held.version else { throw .conflict }
        }
        for append in commit.streams {
            for (offset, event) in append.events.enumerated() {
                contents.streams[append.stream, default: []].append(
                    RecordedEvent(
                        project: commit.project,
                        stream: append.stream,
                        version: append.expected + Int32(offset) + 1,
                        occurredAt: append.occurredAt,
                        subject: append.subject(in: commit.attributes),
                        session: append.session(in: commit.attributes),
                        body: event
                    )
                )
            }
        }
        contents.appended.append(commit)
    }

    package func history(of stream: StreamID, after version: Int32, by deadline: Deadline)
        async throws(StoreError) -> [RecordedEvent]
    {
        contents.withLock { contents in
            contents.historiesRead += 1
            let later = contents.streams[stream, default: []].filter { $0.version > version }
            return Array(later.prefix(1000))
        }
    }

    package func opened(
        for subject: SubjectID,
        kinds: Set<AggregateKind>,
        before: Int64?,
        limit: Int,
        by deadline: Deadline
    ) async throws(StoreError) -> [OpenedStream] {
        contents.withLock { contents in
            let found = contents.opened(for: subject).filter {
                kinds.contains($0.kind) && $0.position < before ?? .max
            }
            return Array(found.reversed().prefix(limit))
        }
    }

    package func position(
        of stream: StreamID,
        openedFor subject: SubjectID,
        by deadline: Deadline
    ) async throws(StoreError) -> Int64? {
        contents.withLock { $0.opened(for: subject).first { $0.stream == stream }?.position }
    }

    package func enter(_ stream: StreamID, by deadline: Deadline) async throws(StoreError) {}

    package func leave(_ stream: StreamID) {}
}

extension DomainEvent {
    /// Whether nothing follows it in its stream, as the stored types say that do.
    fileprivate var isFinal: Bool {
        switch self {
        case .browserSession(.ended), .offlineGrant(.revoked), .biometricKey(.disabled): true
        default: false
        }
    }

    /// Whether it opens a stream of its subject, as the stored types say that do.
    fileprivate var opens: Bool {
        switch self {
        case .loginID(.claimed), .loginLink(.requested), .browserSession(.opened),
            .offlineGrant(.opened), .biometricKey(.enabled), .consent(.given):
            true
        default: false
        }
    }
}
