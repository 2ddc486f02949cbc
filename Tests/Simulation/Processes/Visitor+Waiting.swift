import Domain
import Issuing
import OAuth
import Runtime

extension Visitor {
    /// Only where clients leave: others wait to the end, and learn what they would learn anyway.
    var waits: Bool { clients.world.faults.isEnabled(.clientLeaves) }

    /// The waiting page asks until its login is approved, or is told that it is not yet.
    func wait(_ id: StreamID, _ cookie: [UInt8]) async {
        for _ in 0..<3 {
            let started = clients.world.steps
            let answer = await page(cookie, milliseconds: 30_000) {
                node,
                browser throws(OAuthError) in
                let hints = SilentHints(checks: clients.installation.checks)
                let waiting = AwaitLogin(node.signIn, hints: hints, pause: node.clock)
                switch try await waiting.status(of: id, waitSeconds: 5, browser) {
                case .pending: return .waiting
                case .approved, .completed: return .approved
                case .denied, .expired, .canceled: return .refused
                }
            }
            login.sees(answer, since: started)
            if answer == .approved || answer == .refused { return }
        }
    }
}

/// Hints of a node that hears nothing: it looks by itself.
private struct SilentHints: StreamHints {
    let checks: Checks

    func listen(to streams: [StreamID]) -> (any StreamListener)? { Listener(checks: checks) }

    private final class Listener: StreamListener {
        private let checks: Checks
        private let isOver = Guarded(false)

        init(checks: Checks) { self.checks = checks }

        func wait(milliseconds: Int) async -> Bool {
            guard let loop = Loop.current else { return false }
            if isOver.current {
                checks.broken("architecture 11", "a page that has left waits, and looks, again")
            }
            let end = loop.now.advanced(by: .milliseconds(milliseconds))
            do { try await loop.sleep(until: end) } catch { isOver.replace(with: true) }
            return true
        }

        func cancel() {}
    }
}
