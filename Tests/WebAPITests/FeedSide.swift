import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Publishing
import Runtime
import Signing
import TestSupport
import WebAPI

/// The feed's route over a read model that a test fills.
struct FeedSide: Sendable {
    let side: TokenSide
    let feed = FilledFeed()
    /// How long somebody waits is measured by this.
    let time = PassingTime()
    let api: PublicAPI

    /// `log`: what is asked whether a client still counts, when not the projects themselves.
    init(
        limits rates: [RequestLimit: RequestLimit.Rate] = [:],
        log: (any ProjectDirectory)? = nil,
        memory: any ProofMemory = SeenProofs()
    ) async throws {
        let side = try await TokenSide()
        side.projects.answerFeeds()
        self.side = side
        let metrics = Metrics()
        let route = RevocationFeedRoute(
            feed: feed,
            access: Self.access(of: side, asking: log ?? side.projects, memory),
            digester: side.digester,
            failures: FailureLimits(RequestLimits(rates, metrics: metrics, by: side.clock)),
            pause: time
        )
        api = PublicAPI(
            [route],
            projects: side.projects,
            snapshots: ProjectSnapshots(digester: side.digester, grantTypes: []),
            intake: Intake(proxies: TrustedProxies(), entropy: side.entropy),
            observer: RequestObserver(metrics: metrics, log: .discarding),
            clock: side.clock
        )
    }

    /// As a projector wires it.
    private static func access(
        of side: TokenSide,
        asking log: any ProjectDirectory,
        _ memory: any ProofMemory
    ) -> FeedAccess {
        FeedAccess(
            access: AccessProofs(
                verifier: TokenVerifier(side.signer, projects: side.projects),
                proofs: DPoPProofs(
                    reader: PhoneJWTReader(),
                    digester: side.digester,
                    clock: side.clock,
                    asksForNonces: false
                ),
                memory: memory,
                clock: side.clock
            ),
            projects: log
        )
    }

    /// A token of a service, as `client_credentials` gives it.
    func token(
        _ scope: String = "revocations.read",
        of project: Project? = nil,
        for audience: [String] = ["https://auth.example.com"],
        boundTo key: Thumbprint? = nil,
        client: String = "api"
    ) throws -> String {
        let claims = AccessTokenClaims(
            token: TokenID(.timeOrdered(at: side.clock.now, from: side.entropy)),
            subject: client,
            client: try Fixture.some(ClientID(client)),
            audience: audience,
            scope: try Fixture.some(Scope(scope)),
            issuedAt: side.clock.now,
            expiresAt: side.clock.now.adding(seconds: 900),
            confirmation: key
        )
        return String(
            decoding: try side.signer.sign(claims, for: project ?? side.project),
            as: UTF8.self
        )
    }

    func get(
        _ query: String = "",
        at host: String = "auth.example.com",
        authorization: String?,
        proof: String? = nil,
        id: UInt64 = 0
    ) async throws -> Answer {
        var headers: [(name: String, value: String)] = []
        if let authorization { headers.append(("authorization", authorization)) }
        if let proof { headers.append(("dpop", proof)) }
        let response = await api.respond(
            to: WebAPI.Request(
                method: .get,
                path: "/revocations",
                query: Array(query.utf8),
                host: host,
                headers: RequestHeaders(Fields(headers)),
                body: [],
                client: ClientAddress(.loopback(port: 1)),
                id: RequestID(StreamID(high: 1, low: id)),
                deadline: Fixture.noDeadline
            )
        )
        return Answer(
            status: response.status.rawValue,
            body: String(decoding: response.body, as: UTF8.self),
            field: response.values
        )
    }

    func get(_ query: String = "") async throws -> Answer {
        try await get(query, authorization: "Bearer \(try token())")
    }
}

/// A feed of the revocations a test gives it.
final class FilledFeed: RevocationFeed {
    struct Contents {
        var model = Sample.stream(7)
        var records: [(project: Int16, record: RevocationRecord)] = []
        var frontier: Int64 = -1
        var late: Int64 = 0
        var completeThrough: Instant? = Sample.time(1)
        var isAway = false
        var isEnding = false
        /// What happens while somebody waits; the times they were ready to wait.
        var whileWaiting: @Sendable (FilledFeed) -> Void = { _ in }
        var waits: [Duration] = []
    }

    let contents = Guarded(Contents())

    /// A revocation, seen at once.
    func add(_ index: Int64, project: Int16 = 1, lateNumber: Int64? = nil) {
        let session = SessionID(Sample.stream(UInt64(1000 + index)))
        let record = RevocationRecord(
            key: "\(session)",
            session: session,
            client: nil,
            token: nil,
            subject: nil,
            revokedAt: Sample.time(0),
            issuedBefore: nil,
            expiresAt: Sample.time(3660),
            reason: "logout",
            log: Sample.stream(7),
            index: index,
            lateNumber: lateNumber
        )
        contents.withLock { contents in
            contents.records.append((project, record))
            contents.frontier = max(contents.frontier, index)
            contents.late = max(contents.late, lateNumber ?? 0)
        }
    }

    func page(of project: ProjectNumber, after: FeedPlace?, limit: Int) async -> RevocationPage? {
        contents.withLock { contents in
            guard !contents.isAway else { return nil }
            let place = after ?? FeedPlace(index: -1, late: contents.late)
            let mine = contents.records.filter { $0.project == project.value }.map(\.record)
            let late = mine.filter { ($0.lateNumber ?? 0) > place.late }
            let found =
                late.isEmpty
                ? Array(
                    mine.filter { $0.index > place.index && $0.index <= contents.frontier }
                        .sorted { $0.index < $1.index }.prefix(limit)
                ) : late
            let index =
                found.count >= limit
                ? found.last?.index ?? place.index : max(place.index, contents.frontier)
            return RevocationPage(
                items: found,
                model: contents.model,
                late: contents.late,
                next: FeedPlace(
                    index: late.isEmpty ? index : place.index,
                    late: contents.late
                ),
                watermark: contents.completeThrough.map {
                    LogWatermark(
                        log: Sample.stream(7),
                        completeThrough: $0,
                        index: contents.frontier
                    )
                }
            )
        }
    }

    var isEnding: Bool { contents.withLock { $0.isEnding } }

    var mark: UInt64 { 0 }

    func news(since mark: UInt64, within time: Duration) async {
        let happen = contents.withLock { contents in
            contents.waits.append(time)
            return contents.whileWaiting
        }
        happen(self)
    }
}
