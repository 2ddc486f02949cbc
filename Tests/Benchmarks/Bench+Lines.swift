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
            let known = tokens.access.filter { !$0.isEmpty }
            if options.wants(.introspect) {
                let (name, floors) = ("introspection of a", constantPost + heads)
                let new = try await newTokens(tokens).map(Self.introspection)
                try await line("\(name) new JWT", new, floors + verification, accepts: Self.isFull)
                let again = known.map(Self.introspection)
                try await line("\(name) known JWT", again, floors, bar: nil, accepts: Self.isFull)
            }
            if options.wants(.userinfo) {
                let floors = constantGet + heads
                let new = try await newTokens(tokens).map(Self.userInfo)
                try await line("userinfo, a new token", new, floors + verification)
                let again = known.map(Self.userInfo)
                try await line("userinfo, a known token", again, floors, bar: nil)
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

    /// Access tokens of these sessions that no one has asked about, more than a node remembers to
    /// have verified: asked about in turn, each is met as if for the first time.
    private func newTokens(_ sessions: TokenBook) async throws -> [[UInt8]] {
        var access: Set<[UInt8]> = []
        while access.count < Self.rememberedMax * 9 / 8 {
            let before = access.count
            try await touch(sessions)
            access.formUnion(sessions.access.filter { !$0.isEmpty })
            guard access.count > before else {
                throw Subprocess.Failed(description: "no refresh gives an access token any more")
            }
        }
        return Array(access)
    }

    /// As many signatures as an issuer remembers to be good (decision 0104).
    private static let rememberedMax = 32_768

    /// Of an introspection: what is said of a token that is not active is short.
    private static func isFull(_ answer: LoadGenerator.Answer) -> Bool {
        answer.status == 200 && answer.body.count > 100
    }

    /// A line over requests that can be sent again and again.
    func line(
        _ name: String,
        _ requests: [[UInt8]],
        _ floors: Double,
        bar: Double? = 2.5,
        accepts: @escaping (LoadGenerator.Answer) -> Bool = { $0.status == 200 }
    ) async throws {
        var runs: [Measurement] = []
        var next = 0
        for _ in 0..<options.runs {
            runs.append(
                try await measure(accepts: accepts) { _, _ in
                    next += 1
                    return requests[next % requests.count]
                }
            )
        }
        report.line(name, Runs(runs, by: \.microseconds), floors: floors, bar: bar)
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
