import Domain
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport

/// Several issuers on one log, and apps that redeem, refresh, retry, replay and revoke at once.
final class SessionWorld: Sendable {
    /// One request as its client saw it.
    struct Entry: Sendable {
        enum Act: Sendable, Hashable { case redeem, refresh, revoke, introspect }
        enum Result: Sendable, Hashable {
            case granted(refreshToken: [UInt8]?, scope: String)
            case active, inactive, refused, unknown, revoked
        }

        var act: Act
        /// The code or token presented.
        var presented: [UInt8]
        /// Negative: all of them, by the end of the browser-session they came from.
        var session: Int
        var started: Int
        var ended: Int
        var result: Result

        /// Whether a revocation is about this session.
        func concerns(_ other: Int) -> Bool { session < 0 || session == other }
    }

    let side: TokenSide
    let executor: SeededExecutor
    private let history = Guarded<[Entry]>([])
    private let nodes: [Node]

    /// What one issuer is made of.
    private struct Node: Sendable {
        let endpoint: TokenEndpoint
        let revocation: Revocation
        let introspection: Introspection
    }

    init(_ side: TokenSide, seed: UInt64, defect: FaultyStore.Defect) {
        self.side = side
        let executor = SeededExecutor(seed: seed)
        self.executor = executor
        nodes = (0..<3).map { _ in
            let store = FaultyStore(side.store, on: executor, defect: defect)
            let commands = CommandRunner(
                store: store,
                projects: side.projects,
                clock: side.clock,
                entropy: side.entropy,
                pause: side.clock
            )
            let digester = side.digester
            let issuance = TokenIssuance(side.signer)
            let liveness = Liveness(store: store, projects: side.projects, clock: side.clock)
            return Node(
                endpoint: TokenEndpoint(
                    [
                        AuthorizationCodeGrant(
                            commands: commands,
                            issuance: issuance,
                            digester: digester,
                            devices: side.devices
                        ),
                        RefreshTokenGrant(
                            commands: commands,
                            issuance: issuance,
                            digester: digester
                        ),
                    ],
                    proofs: side.proofs
                ),
                revocation: Revocation(
                    commands: commands,
                    signer: side.signer,
                    digester: digester
                ),
                introspection: Introspection(
                    liveness: liveness,
                    signer: side.signer,
                    digester: digester,
                    commands: commands
                )
            )
        }
    }

    var entries: [Entry] { history.withLock { $0 } }

    /// Runs one app per code to the end.
    func run(_ codes: [String]) {
        for (session, code) in codes.enumerated() {
            for _ in 0..<2 {
                Task(executorPreference: executor) { await self.live(session, code) }
            }
        }
        executor.runUntilIdle()
    }

    private func live(_ session: Int, _ code: String) async {
        guard case .granted(let first?, _) = await redeem(session, code) else { return }
        var tokens = [first]
        for _ in 0..<(3 + executor.draw(4)) {
            switch executor.draw(12) {
            case 0: _ = await redeem(session, code)
            case 1: side.clock.advance(seconds: Int64(executor.draw(20)))
            case 2: await revoke(session, tokens[executor.draw(tokens.count)])
            case 3: _ = await refresh(session, tokens[executor.draw(tokens.count)])
            case 4:
                let newest = tokens[tokens.count - 1]
                async let one = refresh(session, newest)
                async let two = refresh(session, newest)
                let results = await [one, two]
                keep(results, &tokens)
            case 5: await introspect(session, tokens[tokens.count - 1])
            case 6 where executor.draw(3) == 0: await logOut()
            default: keep([await refresh(session, tokens[tokens.count - 1])], &tokens)
            }
        }
        await introspect(session, tokens[tokens.count - 1])
    }

    private func keep(_ results: [Entry.Result], _ tokens: inout [[UInt8]]) {
        for case .granted(let next?, _) in results where !tokens.contains(next) {
            tokens.append(next)
        }
    }

    private func redeem(_ session: Int, _ code: String) async -> Entry.Result {
        await ask(
            .redeem,
            Array(code.utf8),
            session,
            [
                "grant_type": "authorization_code", "code": code,
                "redirect_uri": TokenSide.redirectURI, "code_verifier": TokenSide.verifier,
            ]
        )
    }

    private func refresh(_ session: Int, _ token: [UInt8]) async -> Entry.Result {
        await ask(
            .refresh,
            token,
            session,
            [
                "grant_type": "refresh_token",
                "refresh_token": String(decoding: token, as: UTF8.self),
            ]
        )
    }

    private func ask(
        _ act: Entry.Act,
        _ presented: [UInt8],
        _ session: Int,
        _ parameters: KeyValuePairs<String, String>
    ) async -> Entry.Result {
        let started = executor.steps
        let result: Entry.Result
        do {
            let response = try await nodes[executor.draw(nodes.count)].endpoint.respond(
                to: TokenRequest(parameters),
                from: try side.caller("app")
            )
            result = .granted(
                refreshToken: response.refreshToken,
                scope: response.accessToken?.scope ?? ""
            )
        } catch { result = Self.result(error) }
        note(act, presented, session, started, result)
        return result
    }

    private func revoke(_ session: Int, _ token: [UInt8]) async {
        let started = executor.steps
        let result: Entry.Result
        do {
            try await nodes[executor.draw(nodes.count)].revocation.revoke(
                Revocation.Request(
                    token: token,
                    asker: .holder,
                    project: side.project,
                    deadline: Fixture.noDeadline
                )
            )
            result = .revoked
        } catch { result = Self.result(error) }
        note(.revoke, token, session, started, result)
    }

    /// The browser-session ends, and with it what was opened from it.
    private func logOut() async {
        let started = executor.steps
        do {
            try await side.run(BrowserSession.self, side.browser.stream) { .end(.logout) }
            note(.revoke, [], -1, started, .revoked)
        } catch { note(.revoke, [], -1, started, .unknown) }
    }

    private func introspect(_ session: Int, _ token: [UInt8]) async {
        let started = executor.steps
        let result: Entry.Result
        do {
            let answer = try await nodes[executor.draw(nodes.count)].introspection.introspect(
                token,
                for: try side.caller("app")
            )
            if case .active = answer { result = .active } else { result = .inactive }
        } catch { result = Self.result(error) }
        note(.introspect, token, session, started, result)
    }

    private static func result(_ error: any Error) -> Entry.Result {
        guard let error = error as? OAuthError else { return .unknown }
        return error.code == .temporarilyUnavailable ? .unknown : .refused
    }

    private func note(
        _ act: Entry.Act,
        _ presented: [UInt8],
        _ session: Int,
        _ started: Int,
        _ result: Entry.Result
    ) {
        let entry = Entry(
            act: act,
            presented: presented,
            session: session,
            started: started,
            ended: executor.steps,
            result: result
        )
        history.withLock { $0.append(entry) }
    }
}
