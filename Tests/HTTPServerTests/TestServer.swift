import Foundation
import HTTPServer
import Runtime
import TestSupport

/// A server on free ports, with a few routes, for as long as a test runs.
final class TestServer: Sendable {
    let loops: [Loop]
    let server: HTTPServer
    let addresses: [SocketAddress]
    let handler = TestHandler()
    let metrics = Metrics()

    init(
        loops count: Int = 1,
        addresses: [SocketAddress] = [.loopback(port: 0)],
        tls: TLSSettings? = nil,
        trustedProxies: [AddressRange] = [],
        adjust: (inout ServerLimits) -> Void = { _ in }
    ) throws {
        loops = try (0..<count).map { _ in try Loop.running() }
        var settings = ServerSettings(name: "test", addresses: addresses, tls: tls)
        settings.trustedProxies = trustedProxies
        // A busy machine is not a slow client.
        settings.limits.handshakeTime = .seconds(30)
        settings.limits.firstByteTime = .seconds(30)
        settings.limits.headTime = .seconds(30)
        settings.limits.bodyTime = .seconds(30)
        settings.limits.writeTime = .seconds(50)
        adjust(&settings.limits)
        server = HTTPServer(
            settings,
            handler: handler,
            loops: loops,
            log: .discarding,
            metrics: metrics
        )
        self.addresses = try server.start()
    }

    func client() throws -> TestClient { try TestClient(addresses[0]) }

    func stop() async {
        await server.drain()
        for loop in loops { loop.end() }
    }

    /// Keeps the first loop busy until the answer is called.
    ///
    /// What clients send until then is all there when it looks again.
    func hold() async -> @Sendable () -> Void {
        let (isHolding, isHeld) = (Guarded(false), Guarded(true))
        loops[0].post {
            isHolding.replace(with: true)
            while isHeld.current { usleep(1_000) }
        }
        _ = await wait { isHolding.current }
        return { isHeld.replace(with: false) }
    }

    /// Waits until `condition` holds, at most 30 s.
    func wait(until condition: () -> Bool) async -> Bool {
        let end = MonotonicInstant.now().advanced(by: .seconds(30))
        while MonotonicInstant.now() < end {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return false
    }
}

/// A handler with a route per behaviour: some wait, some answer too much or wrongly.
final class TestHandler: RequestHandler {
    let running = Guarded(0)
    let cancelled = Guarded(0)
    let calls = Guarded(0)
    /// Paths in the order in which they were handled.
    let order = Guarded<[String]>([])
    let isReleased = Guarded(false)
    /// Called in each handler, on its loop, with how many were called before.
    let onCall = Guarded<(@Sendable (Int) -> Void)?>(nil)

    func admit(_ head: RequestHead, from peer: Peer) -> Admission {
        switch head.path {
        case "/short-lived": .accept(Admission.Terms(handlerTime: .milliseconds(50)))
        case "/starting": .accept(Admission.Terms(slots: .starting))
        case "/ending": .accept(Admission.Terms(slots: .ending))
        case "/poll": .accept(Admission.Terms(handlerTime: .seconds(30), slots: .held))
        case "/none": .refuse(Response(.notFound))
        default: .accept(Admission.Terms())
        }
    }

    func respond(to request: Request) async -> Response {
        let before = calls.withLock { calls in
            defer { calls += 1 }
            return calls
        }
        onCall.current?(before)
        order.withLock { $0.append(request.path) }
        switch request.path {
        case "/slow", "/short-lived", "/ending", "/poll": return await slow(request)
        case "/soon":
            let end = request.loop.now.advanced(by: .milliseconds(100))
            try? await request.loop.sleep(until: end)
            return .text("soon")
        case "/held":
            while !isReleased.current {
                let end = request.loop.now.advanced(by: .milliseconds(2))
                try? await request.loop.sleep(until: end)
            }
            return .text("held")
        case "/busy":
            usleep(1_000)
            return Response(.ok)
        case "/busy-and-waits":
            usleep(1_000)
            try? await request.loop.sleep(until: request.loop.now)
            return Response(.ok)
        case "/turns":
            for _ in 0..<4 { try? await request.loop.sleep(until: request.loop.now) }
            order.withLock { $0.append("/turned") }
            return Response(.ok)
        case "/large":
            return Response(.ok, body: [UInt8](repeating: 0x78, count: 20_000_000))
        case "/bad-field":
            var response = Response(.ok)
            response.add("X-Value", "a\r\nInjected: 1")
            return response
        case "/certificate":
            let digest = request.certificateDigest ?? []
            return .text(digest.map { String($0, radix: 16) }.joined(separator: ":"))
        case "/where": return .text("\(request.loop.isCurrent) \(request.remote)")
        default: return Response(.ok, contentType: "text/plain", body: request.body)
        }
    }

    private func slow(_ request: Request) async -> Response {
        running.withLock { $0 += 1 }
        defer { running.withLock { $0 -= 1 } }
        do throws(CancellationError) {
            try await request.loop.sleep(until: request.loop.now.advanced(by: .seconds(30)))
        } catch {
            cancelled.withLock { $0 += 1 }
        }
        return .text("late")
    }
}

extension Response {
    /// 200 with text as content.
    fileprivate static func text(_ text: String) -> Self {
        Self(.ok, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }
}
