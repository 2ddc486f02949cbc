internal import Runtime

// @unchecked: touched on its worker's loop alone; the entries assert it.
/// One connection: performs on the socket what its machine decides.
final class Connection: @unchecked Sendable {
    let descriptor: Int32
    let remote: SocketAddress
    let worker: Worker
    var transport: Transport
    private var isHandshaking: Bool
    var machine: ConnectionMachine
    var watch: Watch?
    private var timer: LoopTimer?
    private var handshakeDeadline: MonotonicInstant
    var output: Output?
    private var task: Task<Void, Never>?
    private var requestNumber = 0
    private var reservedBytes = 0
    private var isPumping = false
    var share = TurnShare()
    var idlePlace: IdleLine.Place?
    var isToWrite = false
    var peerHasFinished = false

    init(_ descriptor: Int32, _ remote: SocketAddress, tls: TLSSession?, on worker: Worker) {
        self.descriptor = descriptor
        self.remote = remote
        self.worker = worker
        transport = if let tls { .secure(tls) } else { .plain(descriptor) }
        isHandshaking = tls != nil
        let now = worker.loop.now
        let limits = worker.limits
        handshakeDeadline = now.advanced(by: limits.handshakeTime)
        machine = ConnectionMachine(limits, at: now)
    }

    /// Starts listening to the socket.
    func open() {
        watch = worker.loop.watch(descriptor, [.readable, .hangup]) { [self] in ready($0) }
        if !isHandshaking { worker.idle.join(self, at: worker.loop.now) }
        arm()
    }

    /// No further request; idle connections close.
    func drain() {
        if isHandshaking { return close() }
        perform(machine.drain())
    }

    /// Closes at once; a running handler is cancelled and its answer dropped.
    func close() {
        guard let watch else { return }
        watch.cancel()
        self.watch = nil
        timer?.cancel()
        timer = nil
        output = nil
        giveBackReserved()
        requestNumber += 1
        task?.cancel()
        task = nil
        if case .secure(let session) = transport { session.close() }
        Sockets.close(descriptor)
        worker.remove(self)
    }

    // MARK: - Events

    private func ready(_ readiness: Readiness) {
        if isHandshaking {
            worker.answers.letBegin()
            handshake()
            if isHandshaking || watch == nil { return }
        }
        let tlsWaits = transport.wantsWrite || transport.writeWantsRead
        if readiness.contains(.writable) || tlsWaits { flush() }
        // A client that left while its handler runs waits for nothing any more.
        if readiness.contains(.hangup), machine.isHandling { return close() }
        // Also when it is writable alone: TLS may have wanted that in the midst of reading.
        if !peerHasFinished || readiness.contains(.hangup) { receive() }
    }

    private func handshake() {
        guard case .secure(let session) = transport else { return }
        switch session.handshake() {
        case .moved:
            isHandshaking = false
            machine = ConnectionMachine(worker.limits, at: worker.loop.now)
            worker.idle.join(self, at: worker.loop.now)
            updateInterest()
            arm()
            receive()  // The first request may have come with the end of the handshake.
        case .wouldBlock: updateInterest()
        case .ended, .failed: close()
        }
    }

    private func receive() {
        // Not behind an answer of this turn either: what ends the connection must find it written.
        for _ in 0..<TurnShare.readsMax where watch != nil && !share.isSpent && !isToWrite {
            // The write reads for itself; a read would take from it what it waits for.
            if transport.writeWantsRead { return }
            if machine.isFull { return updateInterest() }
            let scratch = unsafe worker.scratch(bytesMax: machine.readBytesMax)
            let transfer = unsafe transport.read(scratch, appendingTo: &machine.input)
            switch transfer {
            case .moved(let count):
                if machine.isLingering { machine.input.removeAll() }
                pump()
                if count < scratch.count && !transport.isSecure { return }
            case .wouldBlock: return updateInterest()
            case .ended:
                peerHasFinished = true
                perform(machine.peerFinished())
                return updateInterest()
            case .failed: return close()
            }
        }
    }

    func pump() {
        guard !isPumping, !share.isSpent else { return }
        isPumping = true
        defer { isPumping = false }
        let now = worker.loop.now
        while watch != nil, share.take(at: now) {
            guard !perform(machine.next(at: now)) else { continue }
            share.giveBack()
            break
        }
        if !machine.isIdle { worker.idle.leave(self) }
        if watch != nil, share.isSpent { goOnNextTurn() }
        arm()
    }

    private func goOnNextTurn() {
        updateInterest()
        worker.line.join { [self] in
            share.isSpent = false
            updateInterest()
            pump()
            if !peerHasFinished { receive() }
        }
    }

    // MARK: - Actions

    /// Whether the machine may have more to do.
    @discardableResult
    func perform(_ action: consuming ConnectionMachine.Action) -> Bool {
        switch consume action {
        case .wait: return false
        case .admit(let head): admit(head)
        case .reserve(let count): reserve(count)
        case .sendContinue: send(ResponseWriter.interim, [])
        case .dispatch(let head, let body, let terms): dispatch(head, body, terms)
        case .refuse(let request):
            machine.refusalDressed(worker.handler.refused(request, from: peer))
        case .answer(let response, let context): answer(response, context)
        case .linger: linger()
        case .close:
            close()
            return false
        }
        return true
    }

    private var peer: Peer {
        Peer(remote, isTLS: transport.isSecure, certificateDigest: transport.certificateDigest)
    }

    private func overloaded(_ head: RequestHead) -> Response {
        worker.handler.refused(RefusedRequest(.serviceUnavailable, head), from: peer)
    }

    private func admit(_ head: RequestHead) {
        switch worker.handler.admit(head, from: peer) {
        case .accept(let terms):
            let bytes = head.contentLength ?? terms.bodyBytesMax
            // A longer one is refused by the machine.
            if bytes <= terms.bodyBytesMax {
                let first = BodyReader.firstRoom(of: bytes)
                guard worker.reserve(bodyBytes: first) else {
                    return machine.refused(overloaded(head), at: worker.loop.now)
                }
                reservedBytes = first
            }
            machine.admitted(terms, at: worker.loop.now)
        case .refuse(let response): machine.refused(response, at: worker.loop.now)
        }
    }

    private func reserve(_ count: Int) {
        guard worker.reserve(bodyBytes: count) else { return machine.overloaded() }
        reservedBytes += count
        machine.reserved(count)
    }

    private func giveBackReserved() {
        worker.giveBack(bodyBytes: reservedBytes)
        reservedBytes = 0
    }

    private func dispatch(
        _ head: consuming RequestHead,
        _ body: consuming [UInt8],
        _ terms: Admission.Terms
    ) {
        guard worker.beginHandler(terms.slots) else {
            return machine.answered(overloaded(head))
        }
        worker.answers.letBegin()
        let heldBytes = reservedBytes
        reservedBytes = 0
        requestNumber += 1
        let number = requestNumber
        let now = worker.loop.now
        let request = Request(
            head,
            body: body,
            remote: remote,
            isTLS: transport.isSecure,
            certificateDigest: transport.certificateDigest,
            loop: worker.loop,
            received: now,
            deadline: now.advanced(by: terms.handlerTime)
        )
        let started = worker.loop.spawn { [self, worker] in
            let response = await worker.handler.respond(to: request)
            worker.endHandler(terms.slots, bodyBytes: heldBytes)
            finish(number, response)
        }
        // It may have finished already, and the next request may even run.
        if machine.isHandling, requestNumber == number { task = started }
    }

    private func finish(_ number: Int, _ response: consuming Response) {
        guard number == requestNumber, watch != nil else { return }
        task = nil
        machine.answered(response)
        pump()
    }

    private func answer(
        _ response: consuming Response,
        _ context: ConnectionMachine.AnswerContext
    ) {
        // The handler was too slow, or somebody else answered: what it says now is dropped.
        if let task {
            requestNumber += 1
            task.cancel()
            self.task = nil
        }
        giveBackReserved()
        if !response.isSendable { response = worker.unsendable() }
        let head = ResponseWriter.head(response, to: context, date: worker.dateLine())
        send(head, ResponseWriter.writesBody(response, to: context) ? response.body : [])
        // What was sent ahead stands in line: it is not begun among the writes of this turn.
        if machine.hasInput, !context.closes { share.end(at: worker.loop.now) }
    }

    private func linger() {
        if peerHasFinished { return close() }
        if case .secure(let session) = transport {
            session.close()
            transport = .plain(descriptor)  // What still comes is only thrown away.
        }
        Sockets.finishWriting(descriptor)
        updateInterest()
    }

    // MARK: - Deadlines

    private var deadline: MonotonicInstant {
        isHandshaking ? handshakeDeadline : machine.deadline
    }

    /// Has a timer no later than the deadline.
    ///
    /// One that is too early asks again, so that the deadlines of a busy connection, each later
    /// than the last, cost no timer each.
    private func arm() {
        guard watch != nil else { return }
        let latest = deadline
        if let timer {
            if timer.instant <= latest { return }
            timer.cancel()
        }
        timer = worker.loop.schedule(at: latest) { [self] in
            timer = nil
            guard worker.loop.now >= deadline else { return arm() }
            if isHandshaking { return close() }
            perform(machine.deadlinePassed())
            pump()
        }
    }
}
