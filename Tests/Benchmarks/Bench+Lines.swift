import Domain
import Foundation
import Issuing
import Runtime

extension Bench {
    static let plainScope = "offline_access"
    static let identityScope = "openid offline_access email"

    func run() async throws {
        report.note(
            "\(options.sessions) sessions, \(Self.connections) connections, CPU per request"
        )
        let signatures = try await onServerCPU { try $0.signatures() }
        (signature, verification) = (signatures.sign, signatures.verify)
        report.note(
            String(
                format: "one ES256 signature %.1f µs, one verification %.1f µs",
                signature,
                verification
            )
        )
        report.header()
        try await measureConstants()
        let seeds = try Seeds(stack, on: loop)
        defer { seeds.stop() }
        if options.wants("flat") {
            try await flatness(seeds)
        } else {
            try await refreshes(seeds, 1_000, "refresh, 1 signature")
        }
        if options.wants("refresh") { try await identityRefreshes(seeds) }
        if options.wants("redeem") { try await redemptions(seeds) }
        try await reads(seeds)
        if options.wants("start") { try start() }
    }

    // MARK: Refresh

    private func flatness(_ seeds: Seeds) async throws {
        var rates: [Double] = []
        var count = 0
        for size in [1_000, 10_000, 100_000, 1_000_000]
        where size <= (options.isFull ? 1_000_000 : options.sessions) {
            let measured = try await refreshes(
                seeds,
                size - count,
                "refresh, 1 signature, \(size) sessions"
            )
            count = size
            rates.append(measured.microseconds)
        }
        if let first = rates.first, let last = rates.last {
            report.note(String(format: "largest store over smallest: %.2f", last / first))
        }
    }

    @discardableResult
    private func refreshes(_ seeds: Seeds, _ count: Int, _ name: String) async throws
        -> Measurement
    {
        let sessions = try await seeds.sessions(
            count,
            scope: Self.plainScope,
            keeping: Self.activeMax
        )
        return try await refresh(sessions, name, signatures: 1)
    }

    private func identityRefreshes(_ seeds: Seeds) async throws {
        let sessions = try await seeds.sessions(1_024, scope: Self.identityScope, keeping: 1_024)
        _ = try await refresh(sessions, "refresh, 2 signatures", signatures: 2)
    }

    private func refresh(_ sessions: [Seeds.Session], _ name: String, signatures: Double)
        async throws -> Measurement
    {
        let active = Array(sessions.prefix(Self.activeMax))
        let tokens = TokenBook(active)
        // Each session once, so that all are cached whatever the size of the store.
        var warmed = 0
        while warmed < active.count {
            warmed += try await measure(seconds: 0.5, rotation(active, tokens)).load.requests
        }
        let measured = try await measure(rotation(active, tokens))
        let append = try await appendFloor(704, active, batch: measured.batch, browser: true)
        let floors = constantPost + append + signatures * signature
        report.line(
            name,
            measured,
            floors: floors,
            note: String(format: "batch %.1f, bare append %.1f µs", measured.batch, append)
        )
        return measured
    }

    private func appendFloor(
        _ type: Int16,
        _ sessions: [Seeds.Session],
        batch: Double,
        browser: Bool
    ) async throws -> Double {
        try await onServerCPU { floors in
            let names = try Seeds.names(stack)
            guard let project = ProjectNumber(1) else { return 0 }
            let config = names.projectConfig(project)
            let version = try await floors.version(of: config)
            var guards: [[StreamGuard]] = []
            for session in sessions.prefix(256) {
                var held = [
                    StreamGuard(stream: session.subject.stream, version: 1),
                    StreamGuard(stream: config, version: version),
                ]
                if browser {
                    let stream = session.browser.stream
                    let head = try await floors.version(of: stream)
                    held.append(StreamGuard(stream: stream, version: head))
                }
                guards.append(held)
            }
            let template = try await floors.template(type: type, guards: guards)
            return try await floors.append(
                template,
                batch: max(1, Int(batch.rounded())),
                seconds: min(3, options.seconds)
            )
        }
    }

    // MARK: Code redemption

    private func redemptions(_ seeds: Seeds) async throws {
        let sessions = try await seeds.sessions(2_048, scope: Self.plainScope, keeping: 2_048)
        let count = Int(options.seconds + 1.5) * 6_000
        let codes = try await seeds.codes(count, for: sessions, scope: Self.plainScope)
        var next = 0
        let measured = try await measure { _, _ in
            defer { next += 1 }
            return next < codes.count ? Wire.redeem(codes[next]) : nil
        }
        let append = try await appendFloor(602, sessions, batch: measured.batch, browser: false)
        report.line(
            "code redemption",
            measured,
            floors: constantPost + append + signature,
            note: String(format: "batch %.1f, bare append %.1f µs", measured.batch, append)
        )
    }

    // MARK: Answers without an append

    private func reads(_ seeds: Seeds) async throws {
        if options.wants("introspect") || options.wants("userinfo") {
            let sessions = try await seeds.sessions(
                1_024,
                scope: Self.identityScope,
                keeping: 1_024,
                sealed: true
            )
            let tokens = TokenBook(sessions)
            _ = try await measure(seconds: 2, rotation(sessions, tokens))
            let streams = sessions.flatMap { [$0.grant.stream, $0.subject.stream] }
            let heads = try await onServerCPU {
                try await $0.headCheck(of: streams, perRequest: 4)
            }
            report.note(String(format: "head check of 4 streams %.1f µs", heads))
            let floors = constantPost + heads + verification
            let access = tokens.access.filter { !$0.isEmpty }
            if options.wants("introspect") { try await introspection(access, floors) }
            if options.wants("userinfo") { try await userInfo(access, floors) }
        }
        guard options.wants("discovery") else { return }
        for (name, path) in [
            ("discovery", "/.well-known/openid-configuration"), ("JWKS", "/oauth2/jwks"),
        ] {
            let request = Wire.get(path)
            report.line(name, try await measure { _, _ in request }, floors: constantGet)
        }
    }

    private func introspection(_ tokens: [[UInt8]], _ floors: Double) async throws {
        let credentials = Data("api:\(Stack.secret)".utf8).base64EncodedString()
        let requests = tokens.map {
            Wire.post(
                "/oauth2/introspect",
                Array("token=".utf8) + $0,
                authorization: "Basic \(credentials)"
            )
        }
        var next = 0
        let measured = try await measure { _, _ in
            next += 1
            return requests[next % requests.count]
        }
        report.line("introspection of a JWT", measured, floors: floors)
    }

    private func userInfo(_ tokens: [[UInt8]], _ floors: Double) async throws {
        let requests = tokens.map {
            Wire.get(
                "/oauth2/userinfo",
                authorization: "Bearer \(String(decoding: $0, as: UTF8.self))"
            )
        }
        var next = 0
        let measured = try await measure { _, _ in
            next += 1
            return requests[next % requests.count]
        }
        report.line("userinfo", measured, floors: floors)
    }

    // MARK: Start

    private func start() throws {
        stack.stopIssuer()
        let seconds = try stack.startIssuer()
        let idle = Double(Machine.residentBytes(of: stack.issuerProcess)) / 1_048_576
        report.note(String(format: "start to ready %.2f s, idle %.0f MB resident", seconds, idle))
    }
}
