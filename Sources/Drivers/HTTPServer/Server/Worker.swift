internal import Runtime

// @unchecked: touched on `loop` alone, after `init`.
/// The server's part on one loop: its connections and what they use together.
@safe final class Worker: @unchecked Sendable {
    let loop: Loop
    let limits: ServerLimits
    let handler: any RequestHandler
    let line: TurnLine
    let answers: TurnAnswers
    var idle = IdleLine()
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private let counters: ServerCounters
    private let bodyBytesMax: Int
    private var connections: [Int32: Connection] = [:]
    private var running = 0
    private var held = 0
    private var bodyBytes = 0
    private var isDraining = false
    private var date: (second: UInt64, line: [UInt8]) = (.max, [])

    init(
        _ loop: Loop,
        of loopCount: Int,
        _ limits: ServerLimits,
        _ handler: any RequestHandler,
        _ counters: ServerCounters
    ) {
        self.loop = loop
        self.limits = limits
        self.handler = handler
        line = TurnLine(on: loop)
        answers = TurnAnswers(on: loop)
        self.counters = counters
        bodyBytesMax = limits.bodyBytesMax / max(1, loopCount)
    }

    deinit { unsafe scratch.deallocate() }

    /// Where every read of this loop lands first.
    func scratch(bytesMax: Int) -> UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(rebasing: scratch.prefix(bytesMax))
    }

    // MARK: - Connections

    /// Takes an accepted socket over, unless there are too many already and none makes room.
    func open(_ descriptor: Int32, from remote: SocketAddress, tls: TLSContext?) {
        guard !isDraining,
            counters.admit(remote, isEncrypted: tls != nil, makingRoom: closeLongestIdle)
        else { return Sockets.close(descriptor) }
        var session: TLSSession?
        if let tls {
            session = tls.session(on: descriptor)
            guard session != nil else {
                counters.release(remote)
                return Sockets.close(descriptor)
            }
        }
        let connection = Connection(descriptor, remote, tls: session, on: self)
        connections[descriptor] = connection
        connection.open()
    }

    func remove(_ connection: Connection) {
        connections[connection.descriptor] = nil
        idle.leave(connection)
        counters.release(connection.remote)
    }

    /// False when none of this loop has been idle for long enough; those of others are not ours.
    private func closeLongestIdle() -> Bool {
        for _ in 0..<Self.looksMax {
            guard let longest = idle.longest(after: limits.idleTimeMin, at: loop.now) else {
                return false
            }
            guard Sockets.hasInput(longest.descriptor) else {
                longest.close()
                return true
            }
            // Its next request is here, and will be read in this turn.
            idle.leave(longest)
        }
        return false
    }

    /// As many connections are looked at to make room for one.
    private static let looksMax = 8

    func drain() {
        isDraining = true
        for connection in connections.values { connection.drain() }
    }

    func closeAll() {
        answers.write()
        for connection in connections.values { connection.close() }
        line.clear()
    }

    // MARK: - Shared bounds

    /// Sets body bytes aside; false when this loop's part of them is used up.
    func reserve(bodyBytes count: Int) -> Bool {
        guard bodyBytes + count <= bodyBytesMax else {
            counters.shedBodies.add()
            return false
        }
        bodyBytes += count
        return true
    }

    func giveBack(bodyBytes count: Int) { bodyBytes -= count }

    /// Takes a slot for a handler; false when those that `slots` names are taken.
    func beginHandler(_ slots: Admission.Slots) -> Bool {
        if slots == .held {
            guard held < limits.heldPerLoopMax else {
                counters.shedHeld.add()
                return false
            }
            held += 1
            counters.held.add(1)
            return true
        }
        guard running < slotsMax(slots) else {
            counters.shedRunning.add()
            return false
        }
        running += 1
        counters.running.add(1)
        return true
    }

    private func slotsMax(_ slots: Admission.Slots) -> Int {
        switch slots {
        case .starting: limits.runningPerLoopMax / 10 * 8
        case .usual: limits.runningPerLoopMax / 10 * 9
        case .ending, .held: limits.runningPerLoopMax
        }
    }

    func endHandler(_ slots: Admission.Slots, bodyBytes count: Int) {
        if slots == .held {
            held -= 1
            counters.held.add(-1)
        } else {
            running -= 1
            counters.running.add(-1)
        }
        giveBack(bodyBytes: count)
    }

    // MARK: - Answers

    /// The `Date` line, made once a second.
    func dateLine() -> [UInt8] {
        let second = loop.now.nanoseconds / 1_000_000_000
        if second != date.second {
            let now = CivilTime(microseconds: WallTime.nowMicroseconds())
            date = (second, Array("Date: \(now.httpDate)\r\n".utf8))
        }
        return date.line
    }

    /// What goes out instead of an answer with a field no header may have.
    func unsendable() -> Response {
        counters.unsendable()
        return Response(.internalServerError)
    }
}
