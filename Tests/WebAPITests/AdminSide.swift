import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import WebAPI

/// The admin listener over twins in memory, with an operator of each role.
struct AdminSide: Sendable {
    private static let requests = Guarded<UInt64>(0)

    let side: TokenSide
    let metrics = Metrics()
    let personalData = InMemoryPersonalData()
    let operators: Operators
    let api: AdminAPI
    /// The same listener of a process without operators.
    let bare: HealthAPI

    /// `given`: what others call, too; nil: one of its own.
    ///
    /// `log`: where its lines go.
    init(
        on given: TokenSide? = nil,
        problem: String? = nil,
        rates: [RequestLimit: RequestLimit.Rate] = [:],
        off: Bool = false,
        isAlive: Bool = true,
        vault: any KeyVault = StandInVault(),
        log: Log = RefusalLog.shared.log
    ) async throws {
        let side = if let given { given } else { try await TokenSide() }
        self.side = side
        for algorithm in [SigningKeyRing.Algorithm.es256, .rs256] {
            let kid = "first-\(algorithm.rawValue)"
            try await side.run(SigningKeyRing.self, side.project.keysStream) {
                .stage(kid: kid, algorithm, publicKey: [], at: side.clock.now)
            }
            try await side.run(SigningKeyRing.self, side.project.keysStream) {
                .promote(kid: kid, emergency: true, at: side.clock.now)
            }
        }
        let keys = KeyAdministration(commands: side.commands, vault: vault)
        let health = Health(
            isAlive: { isAlive },
            checks: [.init("database") { problem }, .init("keys") { nil }],
            metrics: metrics
        )
        let observer = RequestObserver(metrics: metrics, log: log)
        bare = HealthAPI(health, observer: observer)
        operators = Operators(off ? [] : Self.operators(side), digester: side.digester)
        api = AdminAPI(
            Self.routes(side, keys, personalData),
            operators: operators,
            projects: side.projects,
            clock: side.clock,
            health: health,
            limits: RequestLimits(rates, metrics: metrics, by: side.clock),
            intake: Intake(proxies: TrustedProxies(), entropy: side.entropy),
            observer: observer
        )
    }

    private static func routes(
        _ side: TokenSide,
        _ keys: KeyAdministration,
        _ personalData: any PersonalData
    ) -> [any AdminRoute] {
        Routes.admin(
            directory: side.projects,
            projects: ProjectAdministration(
                commands: side.commands,
                documents: LineDocuments(),
                digester: side.digester,
                keys: keys,
                origins: InMemoryProjectOrigins(side.store)
            ),
            history: ProjectHistory(changes: InMemoryChangeLog(side.store)),
            keys: keys,
            subjects: SubjectAdministration(
                commands: side.commands,
                personalData: personalData
            ),
            sessions: SessionList(side.commands),
            devices: DeviceAdministration(commands: side.commands, sealer: side.sealer),
            consents: ConsentAdministration(commands: side.commands)
        )
    }

    /// A number of its own for each, by which the log is asked.
    private static var nextRequest: UInt64 {
        requests.withLock { requests in
            requests += 1
            return requests
        }
    }

    /// One of each role by a token, and one by a certificate.
    private static func operators(_ side: TokenSide) -> [Operators.Credential] {
        let operators = Operator.Role.allCases.map { role in
            Operators.Credential(
                holder: Operator(name: "\(role)", role: role),
                proof: .token(side.digester.sha256(Array("token-of-\(role)".utf8)))
            )
        }
        let certified = Operators.Credential(
            holder: Operator(name: "certified", role: .operate),
            proof: .certificate(Sample.digest(0xCE))
        )
        return operators + [certified]
    }

    func send(
        _ method: WebAPI.Method,
        _ target: String,
        as role: Operator.Role? = .configure,
        headers: KeyValuePairs<String, String> = [:],
        body: String = "",
        certificate: [UInt8]? = nil
    ) async throws -> Answer {
        try await send(
            method,
            target,
            as: role,
            headers: headers.map { (name: $0.key, value: $0.value) },
            body: body,
            certificate: certificate
        )
    }

    /// As above.
    func send(
        _ method: WebAPI.Method,
        _ target: String,
        as role: Operator.Role? = .configure,
        headers: [(name: String, value: String)],
        body: String = "",
        certificate: [UInt8]? = nil
    ) async throws -> Answer {
        var fields = headers
        if let role { fields.append(("authorization", "Bearer token-of-\(role)")) }
        if !body.isEmpty, !fields.contains(where: { $0.name == "content-type" }) {
            fields.append(("content-type", "application/json"))
        }
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let response = await api.respond(
            to: WebAPI.Request(
                method: method,
                path: parts[0],
                query: parts.count > 1 ? Array(parts[1].utf8) : [],
                host: "localhost",
                headers: RequestHeaders(Fields(fields)),
                body: Array(body.utf8),
                client: ClientAddress(.loopback(port: 1)),
                certificateDigest: certificate,
                id: RequestID(StreamID(high: 0xAD, low: Self.nextRequest)),
                deadline: Fixture.noDeadline
            )
        )
        return Answer(
            status: response.status.rawValue,
            body: String(decoding: response.body, as: UTF8.self),
            field: response.values
        )
    }
}

extension Answer {
    /// `error.reason` of form B.
    var reason: String? { self["error"]?["reason"]?.string }

    var result: JSON? { self["result"] }
}

/// Makes keys named by a counter.
final class StandInVault: KeyVault {
    private let count = Guarded(0)
    private let lost = Guarded<Set<String>>([])

    /// From now on the private half of `kid` is not here.
    func lose(_ kid: String) { _ = lost.withLock { $0.insert(kid) } }

    /// It is here again.
    func find(_ kid: String) { _ = lost.withLock { $0.remove(kid) } }

    func fault(of kid: String, _ algorithm: SigningKeyRing.Algorithm) async -> String? {
        lost.current.contains(kid) ? "\(kid).key is lost" : nil
    }

    func generate(_ algorithm: SigningKeyRing.Algorithm, for project: ProjectNumber)
        async throws(KeyVaultError) -> GeneratedKey
    {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return GeneratedKey(
            kid: "key-\(number)",
            algorithm: algorithm,
            publicKey: Array(#"{"kty":"EC"}"#.utf8)
        )
    }
}

/// A document is the project's id, a space, and its host, then perhaps `feed:` and the host of its
/// feed, `cookie:` and a cookie's domain, `prefix:` and what its name begins with, or the
/// algorithms of the project and of its one client; `bad` has two findings.
struct LineDocuments: ProjectDocuments {
    func read(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings {
        let parts = document.split(separator: UInt8(ascii: " "))
        guard parts.count >= 2, let id = ProjectID(parts[0]) else {
            throw ProjectFindings(lines: ["id: is missing", "oauth.clients[1].name: too long"])
        }
        let host = String(decoding: parts[1], as: UTF8.self)
        var settings = ProjectSettings(
            id: id,
            name: id.text,
            publicOrigin: "https://\(host)",
            hosts: [host],
            clients: []
        )
        for part in parts.dropFirst(2) {
            let pair = String(decoding: part, as: UTF8.self).split(separator: ":")
            guard pair.count == 2 else { continue }
            switch pair[0] {
            case "feed": settings.projectorOrigin = "https://\(pair[1])"
            case "cookie": settings.cookieDomain = String(pair[1])
            case "prefix": settings.cookiePrefix = String(pair[1])
            default: break
            }
        }
        let algorithms = parts.dropFirst(2).compactMap {
            SigningKeyRing.Algorithm(rawValue: String(decoding: $0, as: UTF8.self))
        }
        settings.signingAlgorithm = algorithms.first ?? .es256
        if algorithms.count > 1, let id = ClientID("app") {
            var client = ClientSettings(id: id, name: "App", applicationType: .native)
            client.idTokenAlgorithm = algorithms[1]
            client.app2app = .init(cascades: true)
            settings.clients = [client]
        }
        return settings
    }

    func clients(in document: [UInt8]) -> [ClientID] {
        (try? read(document))?.clients.map(\.id) ?? []
    }

    func hosts(in document: [UInt8]) -> [String] { (try? read(document))?.allHosts ?? [] }

    /// One with the host `full.example.com` has no room for a name.
    func checkSize(of document: [UInt8], naming clients: [ClientID]) throws(ProjectFindings) {
        guard hosts(in: document) == ["full.example.com"], let first = clients.first else { return }
        throw ProjectFindings(lines: ["oauth.clients: no room for \(first.text)"])
    }

    func cautions(in document: [UInt8]) -> [String] { [] }

    func changedPaths(from old: [UInt8]?, to new: [UInt8]) -> [String] { ["http"] }
}
