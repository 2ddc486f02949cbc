import HTTPServer
import Runtime

/// The same HTTP server with nothing behind it: what a request costs at least.
enum FloorServer {
    private struct Constant: RequestHandler {
        let answer: Response

        func admit(_ head: RequestHead, from peer: Peer) -> Admission {
            .accept(Admission.Terms())
        }
        func respond(to request: Request) async -> Response { answer }
    }

    private static let bodyBytes = 1_200

    /// Serves on `port` until it is told to end; answers a fixed number of bytes of JSON.
    static func run(port: UInt16) throws {
        Lifecycle.prepare()
        let loop = try Loop(name: "floor")
        var answer = Response(
            .ok,
            contentType: "application/json",
            body: [UInt8](repeating: UInt8(ascii: "x"), count: bodyBytes)
        )
        answer.add("Cache-Control", "no-store")
        let writer = LogWriter(level: .error)
        let server = HTTPServer(
            ServerSettings(name: "floor", addresses: [.loopback(port: port)]),
            handler: Constant(answer: answer),
            loops: [loop],
            log: Log(writer),
            metrics: Metrics()
        )
        let serving = Component(
            "floor",
            start: { () async throws(Component.StartFailure) in
                do { try server.start() } catch {
                    throw Component.StartFailure(.failure, "\(error)")
                }
            },
            stop: { await server.drain() }
        )
        ThisProcess.exit(Lifecycle(on: loop, log: Log(writer), [serving]).run().rawValue)
    }
}
