internal import Crypto
internal import Domain
internal import EventFormat
internal import Issuing
internal import Runtime

/// Makes rows of commits: canonical bytes, columns, and the hash chain (Events 1, 6).
struct EventEncoder: Sendable {
    /// Names this process in metadata.
    let node: String
    private let names: StreamNames
    private let clientKeys: ClientKeys

    init(node: String, names: StreamNames) {
        self.node = node
        self.names = names
        clientKeys = ClientKeys(names)
    }

    /// The rows of a commit, streams in their order, versions ascending.
    ///
    /// - Throws: `.corrupt` when the commit breaks a limit of the log: such a row would take the
    ///   whole batch down; or when it would go on with a stream of another kind.
    func encode(_ commit: Commit) throws(StoreError) -> EncodedCommand {
        let metadata = metadata(of: commit).encoded()
        let actor = actor(of: commit)
        var rows: [EncodedCommand.Row] = []
        // By places: a loop over the elements counts references to all that is in each.
        let streams = commit.streams.span
        for place in streams.indices {
            try encode(streams[place], of: commit, actor: actor, metadata: metadata, into: &rows)
        }
        guard commit.isWithinBounds, metadata.count <= StoredEvent.metadataBytesMax else {
            throw .corrupt(commit.streams.first?.stream ?? commit.command.stream, version: 0)
        }
        return EncodedCommand(
            command: commit.command,
            rows: rows,
            guards: commit.guards,
            streams: commit.streams.map(\.stream)
        )
    }

    private func encode(
        _ append: StreamAppend,
        of commit: Commit,
        actor: StreamID?,
        metadata: [UInt8],
        into rows: inout [EncodedCommand.Row]
    ) throws(StoreError) {
        var previous = append.previousHash
        var version = append.expected
        guard version == 0 || previous != nil else {
            throw .corrupt(append.stream, version: version)
        }
        for event in append.events {
            version += 1
            let (type, payload) = EventFormat.encode(event)
            guard payload.count <= Self.payloadBytesMax(append.kind) else {
                throw .corrupt(append.stream, version: version)
            }
            let stored = StoredEvent(
                project: commit.project,
                stream: append.stream,
                version: version,
                type: type,
                command: commit.command,
                actor: actor,
                columns: columns(of: event, in: append, commit),
                payload: payload,
                metadata: metadata
            )
            let preimage = HashChain.preimage(of: stored, after: previous)
            let hash = EventHash(digest: TokenDigest(words: SHA256.words(preimage)))
            previous = hash
            rows.append(
                EncodedCommand.Row(
                    event: stored,
                    expected: append.expected,
                    hash: hash
                )
            )
        }
    }

    private func columns(
        of event: DomainEvent,
        in append: StreamAppend,
        _ commit: Commit
    ) -> StoredColumns {
        let attributes = commit.attributes
        let client = event.client ?? append.client(in: attributes)
        return StoredColumns(
            // What the event says of its own time wins: a reader takes it from the column.
            occurredAt: event.occurredAt ?? append.occurredAt,
            subject: event.subject ?? append.subject(in: attributes),
            session: append.session(in: attributes),
            client: client.map { clientKeys.key(of: $0, in: commit.project) }
        )
    }

    private func actor(of commit: Commit) -> StreamID? {
        switch commit.attributes.actor {
        case .subject(let subject): subject.stream
        case .client(let client): clientKeys.key(of: client, in: commit.project)
        // An operator is a name, in the metadata.
        case .operator, .system: nil
        }
    }

    private func metadata(of commit: Commit) -> EventMetadata {
        let attributes = commit.attributes
        let kind: EventMetadata.ActorKind
        var name: String?
        switch attributes.actor {
        case .subject: kind = .subject
        case .client: kind = .client
        case .operator(let by):
            kind = .operator
            name = by
        case .system: kind = .system
        }
        return EventMetadata(
            actor: kind,
            by: name,
            reason: attributes.reason,
            cause: attributes.cause,
            // Never the command's id: this is published (Events 6).
            correlation: attributes.correlation?.request
                ?? names.correlation(of: commit.command, in: commit.project),
            node: node,
            seal: attributes.seal,
            traceparent: attributes.correlation?.traceparent
        )
    }

    private static func payloadBytesMax(_ kind: AggregateKind) -> Int {
        kind == .projectConfig
            ? StoredEvent.projectConfigPayloadBytesMax : StoredEvent.payloadBytesMax
    }
}

/// The keyed hashes of client ids, remembered: there are few clients and many events.
private final class ClientKeys: Sendable {
    private struct Name: Hashable {
        let project: ProjectNumber
        let client: ClientID
    }

    private static let rememberedMax = 4096
    private let names: StreamNames
    private let known = Guarded<[Name: StreamID]>([:])

    init(_ names: StreamNames) { self.names = names }

    func key(of client: ClientID, in project: ProjectNumber) -> StreamID {
        let name = Name(project: project, client: client)
        if let key = known.withLock({ $0[name] }) { return key }
        let key = names.client(client, in: project)
        known.withLock { known in
            if known.count >= Self.rememberedMax { known.removeAll(keepingCapacity: true) }
            known[name] = key
        }
        return key
    }
}
