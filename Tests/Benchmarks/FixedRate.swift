import Runtime

/// Sends requests at a fixed rate, whether answers come or not: an open loop.
///
/// A request that finds every connection busy waits, and its time counts from when it was due.
final class FixedRate {
    /// The next request of a connection, made from its answer before.
    typealias Script = LoadGenerator.Script

    private let loop: Loop
    private let rate: Double
    private let script: Script
    private var clients: [ClientConnection] = []
    private var idle: [Int] = []
    private var answers: [LoadGenerator.Answer?] = []
    private var due: [MonotonicInstant] = []
    private var waiting: [MonotonicInstant] = []
    private var begin = MonotonicInstant.now()
    private var dueCount = 0
    private var timer: LoopTimer?
    private var result = LoadGenerator.Result()
    private var measuredSince = MonotonicInstant.now()

    init(
        _ rate: Double,
        connections: Int,
        to address: SocketAddress,
        on loop: Loop,
        script: @escaping Script
    ) throws {
        self.loop = loop
        self.rate = rate
        self.script = script
        for index in 0..<connections {
            clients.append(
                try ClientConnection(on: loop, to: address) { [unowned self] answer, _ in
                    received(index, answer)
                }
            )
        }
        idle = Array(0..<connections)
        answers = Array(repeating: nil, count: connections)
        due = Array(repeating: begin, count: connections)
    }

    func start() {
        begin = MonotonicInstant.now()
        tick()
    }

    /// Forgets what was measured so far.
    func reset() {
        result = LoadGenerator.Result()
        measuredSince = MonotonicInstant.now()
    }

    /// What was measured since `reset`.
    func measured() -> LoadGenerator.Result {
        var result = result
        result.seconds = MonotonicInstant.now().since(measuredSince) / .seconds(1)
        result.latencies.sort()
        return result
    }

    func stop() {
        timer?.cancel()
        timer = nil
        for client in clients { client.close() }
        clients = []
    }

    private func tick() {
        let now = MonotonicInstant.now()
        let target = Int(now.since(begin) / .seconds(1) * rate)
        while dueCount < target {
            dueCount += 1
            waiting.append(begin.advanced(by: .seconds(Double(dueCount) / rate)))
        }
        sendWaiting()
        timer = loop.schedule(at: now.advanced(by: .milliseconds(1))) { [weak self] in self?.tick()
        }
    }

    private func sendWaiting() {
        while !waiting.isEmpty, let index = idle.popLast() {
            due[index] = waiting.removeFirst()
            guard let request = script(index, answers[index]) else { continue }
            clients[index].send(request)
        }
    }

    private func received(_ index: Int, _ answer: LoadGenerator.Answer) {
        guard !clients.isEmpty else { return }
        result.requests += 1
        if answer.status != 200 {
            result.failures += 1
            result.refusal = result.refusal ?? answer.text
        }
        result.latencies.append(MonotonicInstant.now().since(due[index]) / .microseconds(1))
        answers[index] = answer
        // To the front: every connection has its turn.
        idle.insert(index, at: 0)
        sendWaiting()
    }
}
