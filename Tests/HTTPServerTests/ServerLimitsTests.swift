import Foundation
import HTTPServer
import Runtime
import Testing

/// The bounds that nobody sets (Security 7.2), and what is done at the system's own.
@Suite("Bounds of a server", .timeLimit(.minutes(1))) struct ServerLimitsTests {
    @Test("are those of the design where a test or an operator sets no others") func standard() {
        let limits = ServerLimits()
        let times: [(Duration, seconds: Int)] = [
            (limits.handshakeTime, 5), (limits.firstByteTime, 10), (limits.headTime, 5),
            (limits.bodyTime, 10), (limits.writeTime, 10), (limits.idleTime, 60),
            (limits.idleTimeMin, 1), (limits.connectionTime, 3_600), (limits.drainTime, 10),
        ]
        for (time, seconds) in times { #expect(time == .seconds(seconds)) }
        let counts: [(Int, Int)] = [
            (limits.requestsPerConnectionMax, 100_000), (limits.connectionsMax, 10_000),
            (limits.connectionsPerAddressMax, 256), (limits.connectionsPerNetworkMax, 1_024),
            (limits.runningPerLoopMax, 2_000), (limits.heldPerLoopMax, 4_000),
            (limits.bodyBytesMax, 64 * 1024 * 1024),
        ]
        for (count, expected) in counts { #expect(count == expected) }
        #expect(Admission.Terms().handlerTime == .seconds(5))
        #expect(Admission.Terms().bodyBytesMax == 64 * 1024)
    }

    @Test("out of descriptors, who waits is told by closing, one each 100 ms; then it goes on")
    func exhausted() async {
        await #expect(processExitsWith: .success) {
            // Of a process of its own: no other test runs out of them.
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let server = try TestServer()
            // What a sleep needs is opened by the first one, or the process ends.
            try await Task.sleep(for: .milliseconds(1))
            let letGo = await server.hold()
            let waiting = [try server.client(), try server.client()]
            var taken: [Int32] = []
            while true {
                let descriptor = dup(0)
                guard descriptor >= 0 else { break }
                taken.append(descriptor)
            }
            let start = MonotonicInstant.now()
            letGo()
            for client in waiting { #expect(await client.receive(seconds: 10).ended) }
            #expect(MonotonicInstant.now().since(start) >= .milliseconds(100))
            for descriptor in taken { Sockets.close(descriptor) }
            let next = try server.client()
            next.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await next.receive(until: "\r\n\r\n").text.hasPrefix("HTTP/1.1 200 OK"))
            await server.stop()
        }
    }
}
