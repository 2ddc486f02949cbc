import Runtime

extension World {
    /// A question to a server and its answer, with whatever happens on the way.
    ///
    /// While the network is away nothing arrives, in either direction: what was on its way is lost.
    ///
    /// `serve` runs when the question arrives, and calls what it is given with the answer. Who asks
    /// with a deadline gives up then; the server goes on.
    func ask<Answer: Sendable, Failure: Error>(
        from process: SimulatedProcess,
        to server: SimulatedProcess.Server,
        by deadline: MonotonicInstant? = nil,
        _ faults: ConnectionFaults<Failure>,
        _ serve: @escaping (@escaping (Answer) -> Void) -> Void
    ) async throws(Failure) -> Answer {
        var timer: LoopTimer?
        let result: Result<Answer, Failure> = await process.loop.park { turn in
            let waiting = FirstAnswer(turn)
            if let deadline, let late = faults.late {
                timer = process.loop.schedule(at: deadline) {
                    waiting.resume(returning: .failure(late))
                }
            }
            let isAway = process.isCutOff(from: server, at: nanoseconds)
            if isOver || isAway || self.faults.strikes(.notConnected) {
                return send(afterMicroseconds: isOver ? 0 : nil) {
                    waiting.resume(returning: .failure(faults.notConnected))
                }
            }
            if self.faults.strikes(.requestLost) {
                return send { waiting.resume(returning: .failure(faults.lost)) }
            }
            let isLost = self.faults.strikes(.answerLost)
            if isLost {
                // The connection goes at any moment, also while the server is still at it.
                let delay = isOver ? 0 : dice.draw(2000)
                send(afterMicroseconds: delay) { waiting.resume(returning: .failure(faults.lost)) }
            }
            let isSlow = self.faults.strikes(.slowAnswer)
            // The server may come to it late, and after the client has given it up.
            var delay = 20 + dice.draw(isLost ? 5_000 : 480)
            if self.faults.strikes(.slowRequest) { delay += dice.draw(1_500_000) }
            send(afterMicroseconds: delay) { [self] in
                if isOver {
                    if !isLost { waiting.resume(returning: .failure(faults.notConnected)) }
                    return
                }
                guard !process.isCutOff(from: server, at: nanoseconds) else {
                    return waiting.resume(returning: .failure(faults.lost))
                }
                serve { [self] answer in
                    if isLost { return }
                    let delay = isSlow && !isOver ? 5_000 + dice.draw(300_000) : nil
                    send(afterMicroseconds: delay) { [self] in
                        let isCut = process.isCutOff(from: server, at: nanoseconds) && !isOver
                        let heard = isCut ? .failure(faults.lost) : Result.success(answer)
                        waiting.resume(returning: heard)
                    }
                }
            }
        }
        timer?.cancel()
        return try result.get()
    }
}

/// What a caller hears when the connection fails.
struct ConnectionFaults<Failure: Error>: Sendable {
    /// Nothing was sent.
    var notConnected: Failure
    /// Sent; nobody knows whether it arrived.
    var lost: Failure
    /// Sent, and given up at the deadline.
    var late: Failure?
}

/// Whoever waits for an answer or for its deadline: only the first is heard.
private final class FirstAnswer<Answer: Sendable, Failure: Error> {
    private var turn: Resumption<Result<Answer, Failure>>?

    init(_ turn: Resumption<Result<Answer, Failure>>) { self.turn = turn }

    func resume(returning answer: Result<Answer, Failure>) {
        turn?.resume(returning: answer)
        turn = nil
    }
}
