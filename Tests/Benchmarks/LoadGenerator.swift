import Runtime

/// Drives an HTTP/1.1 server over a fixed number of connections, each with one request in flight.
final class LoadGenerator {
    /// What one connection sends next, made from the answer before; nil ends the connection.
    typealias Script = (_ connection: Int, _ answer: Answer?) -> [UInt8]?

    /// One answer, as far as scripts look at it.
    struct Answer {
        var status: Int
        var body: ArraySlice<UInt8>

        /// For a person: the status, and the beginning of the body.
        var text: String { "\(status) \(String(decoding: body.prefix(200), as: UTF8.self))" }
    }

    struct Result {
        var requests = 0
        var failures = 0
        /// The first answer that was none.
        var refusal: String?
        var seconds = 0.0
        /// Microseconds, sorted.
        var latencies: [Double] = []

        func quantile(_ share: Double) -> Double {
            guard !latencies.isEmpty else { return 0 }
            let index = Int(Double(latencies.count - 1) * share)
            return latencies[index]
        }
    }

    private let loop: Loop
    private let address: SocketAddress
    private let script: Script
    private let accepts: (Answer) -> Bool
    private var clients: [ClientConnection] = []
    private var result = Result()
    private var isMeasuring = false
    /// Answers are still taken, and nothing is sent any more.
    private var isEnding = false
    private var runningCount = 0
    private let ended: LoopSignal

    init(
        on loop: Loop,
        to address: SocketAddress,
        accepts: @escaping (Answer) -> Bool = { $0.status == 200 },
        script: @escaping Script
    ) {
        self.loop = loop
        self.address = address
        self.accepts = accepts
        self.script = script
        ended = LoopSignal(on: loop)
    }

    /// Warms up, then measures; `started` is called when measuring starts.
    ///
    /// Ends before `measure` when the script does; `.zero` is: when the script does.
    func run(
        connections: Int,
        warmUp: Duration,
        measure: Duration,
        started: () -> Void
    ) async throws -> Result {
        for index in 0..<connections {
            let client = try ClientConnection(on: loop, to: address) { [self] answer, latency in
                received(index, answer, latency)
            }
            clients.append(client)
            guard let first = script(index, nil) else { continue }
            runningCount += 1
            client.send(first)
        }
        if warmUp > .zero { try await loop.sleep(until: loop.now.advanced(by: warmUp)) }
        result = Result()
        isMeasuring = true
        started()
        let begin = MonotonicInstant.now()
        let end = begin.advanced(by: measure > .zero ? measure : .seconds(600))
        while runningCount > 0, MonotonicInstant.now() < end { await ended.wait(until: end) }
        isMeasuring = false
        result.seconds = Double(MonotonicInstant.now().nanoseconds - begin.nanoseconds) / 1e9
        // A script that does not hear of its last answers does not know what they changed.
        isEnding = true
        let patience = MonotonicInstant.now().advanced(by: .seconds(5))
        while runningCount > 0, MonotonicInstant.now() < patience {
            await ended.wait(until: patience)
        }
        for client in clients { client.close() }
        clients = []
        result.latencies.sort()
        return result
    }

    private func received(_ index: Int, _ answer: Answer, _ latency: Double) {
        if isMeasuring {
            result.requests += 1
            result.latencies.append(latency)
            if !accepts(answer) {
                result.failures += 1
                result.refusal = result.refusal ?? answer.text
            }
        }
        guard index < clients.count else { return }
        let next = script(index, answer)
        if let next, !isEnding { return clients[index].send(next) }
        runningCount -= 1
        if runningCount == 0 { ended.raise() }
    }
}
