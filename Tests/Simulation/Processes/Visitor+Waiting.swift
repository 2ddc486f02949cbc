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
                let waiting = AwaitLogin(node.signIn, hints: SilentHints(), pause: node.clock)
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
    func listen(to streams: [StreamID]) -> (any StreamListener)? { Listener() }

    private struct Listener: StreamListener {
        func wait(milliseconds: Int) async -> Bool {
            guard let loop = Loop.current else { return false }
            try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(milliseconds)))
            return true
        }

        func cancel() {}
    }
}
