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
        capacity = try await refresh(plain, "refresh, 1 signature", signatures: 1).rate
        let identities = try await seeds.sealedSessions(1_024, scope: Self.identityScope)
        try await refresh(identities[...], "refresh, 2 signatures", signatures: 2)
    }

    @discardableResult
    private func refresh(
        _ sessions: ArraySlice<Seeds.Session>,
        _ name: String,
        signatures: Int
    ) async throws -> Measurement {
        let tokens = TokenBook(sessions)
        try await touch(tokens)
        let runs = try await runs {
            try await measure(rotation(tokens))
        } floors: {
            try await appendFloors(&$0, 704, sessions, browser: true, signatures: signatures)
        }
        report.line(name, runs, bar: 1.7, note: Self.batch(runs.median))
        rotated[signatures] = tokens
        return runs.median
    }

    /// A constant answer, the bare append and the signatures.
    private func appendFloors(
        _ run: inout Measurement,
        _ type: Int16,
        _ sessions: some Collection<Seeds.Session>,
        browser: Bool,
        signatures count: Int
    ) async throws {
        let batch = run.batch
        let append = try await appendFloor(type, sessions, batch: batch, browser: browser)
        run.floors =
            try await constant(Self.constantPost) + append
            + Double(count) * signatures().sign
    }

    private static func batch(_ run: Measurement) -> String {
        String(format: "batch %.1f", run.batch)
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
        let runs = try await runs {
            report.progress("\(perRun) codes for a run")
            let codes = try await seeds.codes(perRun, for: sessions, scope: Self.plainScope)
            return try await measure(Self.once(codes.map { Wire.redeem($0) }))
        } floors: {
            try await appendFloors(&$0, 602, sessions, browser: false, signatures: 1)
        }
        report.line("code redemption", runs, bar: 1.7, note: Self.batch(runs.median))
    }

    // MARK: Answers without an append

    func reads() async throws {
        if options.wants(.introspect) || options.wants(.userinfo) {
            let sessions = try await seeds.sealedSessions(1_024, scope: Self.identityScope)
            let tokens = TokenBook(sessions)
            try await touch(tokens)
            let streams = sessions.flatMap { [$0.grant.stream, $0.subject.stream] }
            let known = tokens.access.filter { !$0.isEmpty }
            if options.wants(.introspect) {
                let new = try await newTokens(tokens).map(Self.introspection)
                try await line("introspection of a new JWT", new, accepts: Self.isFull) {
                    try await self.readFloors(Self.constantPost, streams, verifies: true)
                }
                let again = known.map(Self.introspection)
                let name = "introspection of a known JWT"
                try await line(name, again, bar: nil, accepts: Self.isFull) {
                    try await self.readFloors(Self.constantPost, streams, verifies: false)
                }
            }
            if options.wants(.userinfo) {
                let new = try await newTokens(tokens).map(Self.userInfo)
                try await line("userinfo, a new token", new) {
                    try await self.readFloors(Self.constantGet, streams, verifies: true)
                }
                let again = known.map(Self.userInfo)
                try await line("userinfo, a known token", again, bar: nil) {
                    try await self.readFloors(Self.constantGet, streams, verifies: false)
                }
            }
        }
        guard options.wants(.discovery) else { return }
        let paths = [
            ("discovery", "/.well-known/openid-configuration"), ("JWKS", "/oauth2/jwks"),
        ]
        for (name, path) in paths {
            try await line(name, [Wire.get(path)], bar: 1.3) {
                try await self.constant(Self.constantGet)
            }
        }
    }

    /// A constant answer, the comparison of four streams with the log, and a verification.
    private func readFloors(_ request: [UInt8], _ streams: [StreamID], verifies: Bool)
        async throws -> Double
    {
        let heads = try await onServerCPU { try await $0.headCheck(of: streams, perRequest: 4) }
        let verification = verifies ? try await signatures().verify : 0
        return try await constant(request) + heads + verification
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
        bar: Double? = 1.6,
        accepts: @escaping (LoadGenerator.Answer) -> Bool = { $0.status == 200 },
        floors: () async throws -> Double
    ) async throws {
        let script = Self.inTurn(requests)
        let runs = try await runs {
            try await measure(accepts: accepts, script)
        } floors: {
            $0.floors = try await floors()
        }
        report.line(name, runs, bar: bar)
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
