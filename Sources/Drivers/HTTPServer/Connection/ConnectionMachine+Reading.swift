internal import Runtime

extension ConnectionMachine {
    /// Whether the client has sent ahead what it may before its request is answered and read.
    ///
    /// Then nothing more is taken from its socket: a client that does not read fills its own
    /// buffers, not ours.
    package var isFull: Bool {
        switch phase {
        case .handling, .writing: input.count - used >= HeadParser.headBytesMax
        default: false
        }
    }

    /// How much to take from the socket at once: what is missing of a body that is kept, and a
    /// head's length.
    ///
    /// A record of TLS fits, so none is left half read where no socket tells of it.
    package var readBytesMax: Int {
        guard case .reading = phase else { return HeadParser.headBytesMax }
        return (reader?.missing ?? 0) + HeadParser.headBytesMax
    }

    /// Nil when more bytes are needed.
    mutating func parseHead() -> Action? {
        do throws(Status) {
            switch try Self.parse(&parser, input, from: used) {
            case .incomplete: return nil
            case .complete(let head, let length):
                used += length
                requests += 1
                phase = .admitting(head)
                return .admit(head)
            }
        } catch {
            refuse(error, for: nil)
            return .wait
        }
    }

    /// Nil when the request is refused, or none is being read.
    mutating func readBody(_ now: MonotonicInstant) -> Action? {
        guard case .reading(let head, let terms) = phase else { return nil }
        let missing = reader?.missingRoom(for: input.count - used) ?? 0
        if missing > 0 { return .reserve(missing) }
        do throws(Status) {
            try readBytes()
        } catch {
            refuse(error, for: head)
            return nil
        }
        guard reader?.isComplete == true, let whole = reader.take() else {
            guard owesContinue else { return .wait }
            owesContinue = false
            return .sendContinue
        }
        phase = .handling(head)
        deadline = now.advanced(by: terms.handlerTime).advanced(by: limits.handlerGrace)
        return .dispatch(head, body: whole.body, terms)
    }

    /// The bytes that `reserve` named are set aside.
    package mutating func reserved(_ count: Int) { reader?.grow(by: count) }

    /// There is no room for what `reserve` named: the body is refused in its middle.
    package mutating func overloaded() {
        guard case .reading(let head, _) = phase else { return }
        refuse(.serviceUnavailable, for: head)
    }

    /// False when more bytes are needed.
    mutating func skipBody() -> Bool {
        guard case .skipping(let head, let response) = phase else { return true }
        do throws(Status) {
            try readBytes()
        } catch {
            refuse(error, for: head)
            return true
        }
        guard reader?.isComplete == true else { return false }
        answer(response, to: head)
        return true
    }

    private mutating func readBytes() throws(Status) {
        used += try Self.read(&reader, input, from: used)
        if used == input.count { compact() }
    }

    // Static, so that `input` is borrowed beside the inout part and not together with it.
    private static func parse(
        _ parser: inout HeadParser,
        _ input: [UInt8],
        from start: Int
    ) throws(Status) -> HeadParser.Step {
        try parser.parse(input.span.extracting(start...))
    }

    private static func read(
        _ reader: inout BodyReader?,
        _ input: [UInt8],
        from start: Int
    ) throws(Status) -> Int {
        try reader?.read(input.span.extracting(start...)) ?? 0
    }

    /// Forgets the used bytes once they are more than the others.
    ///
    /// So a byte is moved at most once, however many requests are sent ahead.
    mutating func compact() {
        if used == input.count {
            // A long body is not held twice.
            input.removeAll(keepingCapacity: input.capacity <= 2_048)
        } else if used > input.count - used {
            input.removeSubrange(..<used)
        } else {
            return
        }
        used = 0
    }

    mutating func answer(_ response: consuming Response, to head: RequestHead) {
        let isLast = requests >= limits.requestsPerConnectionMax || isDraining
        let context = AnswerContext(
            isHead: head.method == .head,
            isVersion10: head.isVersion10,
            closes: response.closesConnection || isLast || !head.keepsAlive
        )
        phase = .answering(response, context)
    }

    /// A refusal ends the connection; the rest of its bytes mean nothing.
    mutating func refuse(_ status: Status, for head: RequestHead?, isLate: Bool = false) {
        let request =
            head.map { RefusedRequest(status, $0, isLate: isLate) }
            ?? RefusedRequest(status, reading: input.span.extracting(used...))
        let context = AnswerContext(
            isHead: request.method == .head,
            isVersion10: head?.isVersion10 ?? false,
            closes: true
        )
        reader = nil  // What was kept of a body is not counted any more once the answer is out.
        phase = .refused(request, context)
    }
}
