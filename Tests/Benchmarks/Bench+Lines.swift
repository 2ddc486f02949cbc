import Domain
import Foundation
import Issuing
import Runtime

/// The lines that one issuer and its database answer.
extension Bench {
    static let plainScope = "offline_access"
    static let identityScope = "openid offline_access email"

    // MARK: Refresh

    func refreshes() async throws {
        guard options.wants(.refresh) || options.wants(.grants) else { return }
        let plain = try take(oneIn: 16)
        let one = try await refresh(plain, "refresh, 1 signature", signatures: 1)
        capacity = one.rate
        let identities = try await seeds.sealedSessions(1_024, scope: Self.identityScope)
        _ = try await refresh(identities[...], "refresh, 2 signatures", signatures: 2)
    }

    private func refresh(
        _ sessions: ArraySlice<Seeds.Session>,
        _ name: String,
        signatures: Int
    ) async throws -> Measurement {
        let tokens = TokenBook(sessions)
        try await touch(tokens)
        let runs = try await measured { rotation(tokens) }
        let batch = runs.median.batch
        let append = try await appendFloor(704, sessions, batch: batch, browser: true)
        report.line(
            name,
            runs,
            floors: constantPost + append + Double(signatures) * signature,
            bar: 2.5,
            note: String(format: "batch %.1f, bare append %.1f µs", batch, append)
        )
        refreshCosts[signatures] = runs.median.microseconds
        return runs.median
    }

    /// Uses each session once, so that all are cached.
    func touch(_ tokens: TokenBook) async throws {
        _ = try await measure(seconds: 0, warmUp: .zero, onePass(tokens))
    }

    /// Rotates the token of each session once.
    func onePass(_ tokens: TokenBook) -> LoadGenerator.Script {
        var next = 0
        var held = [Int](repeating: 0, count: Self.connections)
        return { connection, answer in
            if let answer, let token = Wire.member("refresh_token", of: answer.body) {
                tokens.refresh[held[connection]] = token
                tokens.access[held[connection]] =
                    Wire.member("access_token", of: answer.body) ?? []
            }
            guard next < tokens.refresh.count else { return nil }
            held[connection] = next
            next += 1
            return Wire.refresh(tokens.refresh[held[connection]])
        }
    }

    // MARK: Code redemption

    func redemptions() async throws {
        let sessions = Array(try take(oneIn: 32))
        let perRun = Int((options.seconds + 1.5) * 6_000)
        var runs: [Measurement] = []
        for run in 0..<options.runs {
            report.progress("\(perRun) codes for run \(run + 1) of \(options.runs)")
            let codes = try await seeds.codes(perRun, for: sessions, scope: Self.plainScope)
            var next = 0
            runs.append(
                try await measure { _, _ in
                    defer { next += 1 }
                    return next < codes.count ? Wire.redeem(codes[next]) : nil
                }
            )
        }
        let all = Runs(runs, by: \.microseconds)
        let batch = all.median.batch
        let append = try await appendFloor(602, sessions, batch: batch, browser: false)
        report.line(
            "code redemption",
            all,
            floors: constantPost + append + signature,
            bar: 2.5,
            note: String(format: "batch %.1f, bare append %.1f µs", batch, append)
        )
    }

    // MARK: Answers without an append

    func reads() async throws {
        if options.wants(.introspect) || options.wants(.userinfo) {
            let sessions = try await seeds.sealedSessions(1_024, scope: Self.identityScope)
            let tokens = TokenBook(sessions)
            try await touch(tokens)
            let streams = sessions.flatMap { [$0.grant.stream, $0.subject.stream] }
            let heads = try await onServerCPU {
                try await $0.headCheck(of: streams, perRequest: 4)
            }
            report.note(String(format: "head check of 4 streams %.1f µs", heads))
            let floors = constantPost + heads + verification
            let access = tokens.access.filter { !$0.isEmpty }
            if options.wants(.introspect) {
                try await line("introspection of a JWT", access.map(Self.introspection), floors)
            }
            if options.wants(.userinfo) {
                try await line("userinfo", access.map(Self.userInfo), floors)
            }
        }
        guard options.wants(.discovery) else { return }
        let paths = [
            ("discovery", "/.well-known/openid-configuration"), ("JWKS", "/oauth2/jwks"),
        ]
        for (name, path) in paths {
            try await line(name, [Wire.get(path)], constantGet, bar: 1.3)
        }
    }

    /// A line over requests that can be sent again and again.
    func line(_ name: String, _ requests: [[UInt8]], _ floors: Double, bar: Double = 2.5)
        async throws
    {
        var next = 0
        let runs = try await measured {
            { _, _ in
                next += 1
                return requests[next % requests.count]
            }
        }
        report.line(name, runs, floors: floors, bar: bar)
    }

    private static func introspection(_ token: [UInt8]) -> [UInt8] {
        Wire.post(
            "/oauth2/introspect",
            Array("token=".utf8) + token,
            authorization: Wire.basic("api", Stack.secret)
        )
    }

    private static func userInfo(_ token: [UInt8]) -> [UInt8] {
        let authorization = "Bearer \(String(decoding: token, as: UTF8.self))"
        return Wire.get("/oauth2/userinfo", authorization: authorization)
    }
}
