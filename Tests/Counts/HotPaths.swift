import Crypto
import Domain
import EventFormat
import HTTPServer
import Issuing
import OAuth
import Runtime
import Signing
import WebAPI

/// The hot paths of a refresh, of the answers without an append, and of the log.
struct HotPaths {
    let world: World
    private let api: PublicAPI

    init(_ world: World) throws {
        self.world = world
        api = try world.api()
    }

    /// In the order of the table.
    func all() throws -> [HotPath] {
        [
            try requests(), try grants(), try formats(), try tokens(), try proofs(),
            try phoneGrants(),
        ].flatMap { $0 }
    }

    // MARK: Requests

    private func requests() throws -> [HotPath] {
        let body = world.refreshBody
        let head = """
            POST /oauth2/token HTTP/1.1\r\nHost: auth.example.com\r\n\
            Content-Type: application/x-www-form-urlencoded\r\nAccept: */*\r\n\
            User-Agent: demo/1.0\r\nContent-Length: \(body.count)\r\n\r\n
            """
        let bytes = Array(head.utf8) + body
        var machine = ConnectionMachine(ServerLimits(), at: .now())
        let (refresh, discovery) = (world.refreshRequest, world.discoveryRequest)
        let challenge = world.challengeRequest
        let key = try SigningKey.generate(.es256)
        let message = [UInt8](repeating: 0x61, count: 700)
        return [
            HotPath("HTTP: one refresh request through the connection's state machine") {
                try Self.serve(bytes, with: &machine)
            },
            HotPath("OAuth: the form of a refresh") {
                let form = try Form(parsing: body)
                guard form.single("grant_type") != nil else { throw World.Malformed() }
            },
            HotPath(
                "WebAPI: a refresh from request to answer, without store and signature",
                repeats: 100,
                aside: { _ = try key.sign(message) },
                run: { [api] in
                    guard await api.respond(to: refresh).status == .ok else {
                        throw World.Malformed()
                    }
                }
            ),
            HotPath("WebAPI: a discovery answer") { [api] in
                guard await api.respond(to: discovery).status == .ok else {
                    throw World.Malformed()
                }
            },
            HotPath("WebAPI: a challenge") { [api] in
                guard await api.respond(to: challenge).status == .ok else {
                    throw World.Malformed()
                }
            },
        ]
    }

    private static func serve(_ bytes: [UInt8], with machine: inout ConnectionMachine) throws {
        let now = MonotonicInstant(nanoseconds: 1_000_000_000)
        machine.input.append(contentsOf: bytes)
        var isAnswered = false
        while true {
            switch machine.next(at: now) {
            case .wait where isAnswered: return
            case .admit: machine.admitted(Admission.Terms(), at: now)
            case .dispatch: machine.answered(Response(.ok))
            case .answer:
                isAnswered = true
                _ = machine.written(at: now)
            case .wait, .reserve, .sendContinue, .refuse, .linger, .close:
                throw World.Malformed()
            }
        }
    }

    // MARK: The session

    private func grants() throws -> [HotPath] {
        let (state, events) = (world.grantState, world.events)
        let command = OfflineGrant.Command.refresh(world.refresh)
        return [
            HotPath("Domain: the decision on a refresh, folded") {
                let decided = try OfflineGrant.decide(command, in: state)
                try Self.fold(decided, from: state)
            },
            HotPath("Domain: the fold of a session of \(events.count) events", repeats: 50) {
                try Self.fold(events, from: OfflineGrant.initial)
            },
        ]
    }

    /// Event by event, as the command runner and the stores fold.
    ///
    /// `Aggregate.fold` is generic in another module, so it looks its types up at each call, in
    /// a table whose collisions change with every address in the program: +4 % once, by a line
    /// that had nothing to do with it.
    private static func fold(
        _ events: [OfflineGrant.Event],
        from start: OfflineGrant.State
    ) throws {
        var state = start
        for event in events {
            guard let next = OfflineGrant.evolve(state, by: event) else { throw World.Malformed() }
            state = next
        }
    }

    // MARK: Bytes of events

    private func formats() throws -> [HotPath] {
        let event = OfflineGrant.wrap(try World.some(world.events.last))
        let (type, payload) = EventFormat.encode(event)
        let stored = StoredEvent(
            project: world.project.number,
            stream: world.grant.stream,
            version: 64,
            type: type,
            command: CommandID(world.subject.stream),
            actor: world.subject.stream,
            columns: StoredColumns(occurredAt: World.now, subject: world.subject),
            payload: payload,
            metadata: EventMetadata(
                actor: .client,
                correlation: world.subject.stream,
                node: "node-1"
            ).encoded()
        )
        let previous = EventHash(digest: world.token.digest)
        let place = PublishedForm.Place(
            log: world.subject.stream,
            logIndex: 123_456_789,
            projectName: world.project.settings.id,
            hash: previous,
            relayEpoch: 7
        )
        let record = try PublishedForm.record(of: stored, at: place)
        return [
            HotPath("EventFormat: a refreshed event to bytes") {
                guard EventFormat.encode(event).payload.count == payload.count else {
                    throw World.Malformed()
                }
            },
            HotPath("EventFormat: a refreshed event from bytes") {
                _ = try EventFormat.decode(type: type, payload: payload, columns: stored.columns)
            },
            HotPath("EventFormat: a refreshed event as Kafka gets it") {
                guard try PublishedForm.record(of: stored, at: place).value.count > 2 else {
                    throw World.Malformed()
                }
            },
            HotPath("EventFormat: a refreshed event from Kafka") {
                let read = try PublishedForm.read(record) { _ in stored.project }
                guard read.event.version == stored.version else { throw World.Malformed() }
            },
            HotPath("EventFormat: a link of the hash chain") {
                guard SHA256.hash(HashChain.preimage(of: stored, after: previous)).count == 32
                else { throw World.Malformed() }
            },
        ]
    }

    // MARK: Tokens

    private func tokens() throws -> [HotPath] {
        let (signer, project, claims) = (world.signer, world.project, world.claims)
        let token = try signer.sign(claims, for: project)
        let key = try SigningKey.generate(.es256)
        let message = [UInt8](repeating: 0x61, count: 700)
        let (introspection, caller) = (try world.introspection(), try world.caller())
        let userInfo = try world.userInfoRequest()
        return [
            HotPath(
                "Signing: an access token, without the signature",
                repeats: 100,
                aside: { _ = try key.sign(message) },
                run: { _ = try signer.sign(claims, for: project) }
            ),
            HotPath(
                "Issuing: the introspection of an access token that was seen before",
                run: {
                    guard case .active = try await introspection.introspect(token, for: caller)
                    else { throw World.Malformed() }
                }
            ),
            HotPath(
                "WebAPI: userinfo by a token that was seen before, without store",
                run: { [api] in
                    let answer = await api.respond(to: userInfo)
                    guard answer.body.contains(UInt8(ascii: "@")) else { throw World.Malformed() }
                }
            ),
        ]
    }
}
