package import Runtime

/// The life of one connection as a state machine: bytes, answers and instants in, actions out.
///
/// Requests are taken in order, one at a time; what is pipelined waits in `input`. Deadlines are
/// set when a phase begins and never moved by bytes. The shell performs the actions (`Connection`).
package struct ConnectionMachine {
    /// What the shell must do.
    package enum Action {
        /// Nothing to do until bytes, an answer or the deadline come.
        case wait
        /// Ask the handler about this head, then call `admitted` or `refused`.
        case admit(RequestHead)
        /// Set so many more bytes aside for the body, then call `reserved` or `overloaded`.
        case reserve(Int)
        /// Write `100 Continue`; there is more to do.
        case sendContinue
        /// Run the handler; call `answered` with its answer.
        case dispatch(RequestHead, body: [UInt8], Admission.Terms)
        /// Ask the handler how to say this, then call `refusalDressed`.
        case refuse(RefusedRequest)
        /// Write this, then call `written`.
        case answer(Response, to: AnswerContext)
        /// Stop reading requests, say end of file, wait for the peer's.
        case linger
        /// Close at once.
        case close
    }

    /// What the writer must know about the request it answers.
    package struct AnswerContext: Hashable, Sendable {
        /// Whether the request was HEAD: no content is written.
        package var isHead = false
        /// Whether the request was HTTP/1.0: staying open must be said.
        package var isVersion10 = false
        /// Whether the connection ends with this answer.
        package var closes = true
    }

    enum Phase {
        case awaiting
        case head
        case admitting(RequestHead)
        case reading(RequestHead, Admission.Terms)
        case skipping(RequestHead, Response)
        case handling(RequestHead)
        case refused(RefusedRequest, AnswerContext)
        case refusing(AnswerContext)
        case answering(Response, AnswerContext)
        case writing(closes: Bool)
        case lingering
        case closed
    }

    /// Bytes that came and were not used yet.
    package var input: [UInt8] = []
    var used = 0
    var parser = HeadParser()
    var reader: BodyReader?
    var phase = Phase.awaiting
    let limits: ServerLimits
    /// From here on a request is the last, and told so: it has `idleTime` left until the end.
    private let lastRequestFrom: MonotonicInstant
    var requests = 0
    var isDraining = false
    var owesContinue = false

    /// When `deadlinePassed` must be called, unless the phase has ended before.
    package internal(set) var deadline: MonotonicInstant

    /// A connection that may send its first request from `now` on.
    package init(_ limits: ServerLimits, at now: MonotonicInstant) {
        self.limits = limits
        let end = now.advanced(by: limits.connectionTime)
        lastRequestFrom = now.advanced(by: limits.connectionTime - limits.idleTime)
        deadline = min(now.advanced(by: limits.firstByteTime), end)
    }

    /// Whether bytes came that nothing has been made of yet.
    package var hasInput: Bool { input.count > used }
    /// Whether a request is awaited of which nothing has come.
    package var isIdle: Bool { if case .awaiting = phase { !hasInput } else { false } }
    /// Whether a handler runs, so that nothing needs to be read.
    package var isHandling: Bool { if case .handling = phase { true } else { false } }
    /// Whether the connection is over.
    package var isClosed: Bool { if case .closed = phase { true } else { false } }
    /// Whether only the peer's end of file is awaited.
    package var isLingering: Bool { if case .lingering = phase { true } else { false } }

    /// What to do next; ask again until it says `wait` or `close`.
    package mutating func next(at now: MonotonicInstant) -> Action {
        while true {
            switch phase {  // Binds nothing: what a phase holds would be copied for all of them.
            case .awaiting:
                guard used < input.count else { return isDraining ? close() : idle() }
                if now >= lastRequestFrom { isDraining = true }
                phase = .head
                deadline = now.advanced(by: limits.headTime)
            case .head:
                guard let action = parseHead() else { return .wait }
                if case .admit = action { return action }
            case .reading:
                guard let action = readBody(now) else { continue }
                return action
            case .skipping:
                guard skipBody() else { return .wait }
            case .refused: return handOutRefusal()
            case .answering: return handOutAnswer(now)
            case .admitting, .handling, .refusing, .writing, .lingering: return .wait
            case .closed: return .close
            }
        }
    }

    /// The handler takes the head that `admit` named.
    package mutating func admitted(_ terms: Admission.Terms, at now: MonotonicInstant) {
        guard case .admitting(let head) = phase else { return }
        do throws(Status) {
            reader = try BodyReader(head, bytesMax: terms.bodyBytesMax, keeps: true)
            owesContinue = head.expectsContinue && head.hasBody && used == input.count
            phase = .reading(head, terms)
            deadline = now.advanced(by: limits.bodyTime)
        } catch {
            refuse(error, for: head)
        }
    }

    /// The handler answers the head that `admit` named without its body.
    ///
    /// A small body is skipped, and the connection goes on. One that is long, or held back until
    /// 100 Continue, is not waited for.
    package mutating func refused(_ response: Response, at now: MonotonicInstant) {
        guard case .admitting(let head) = phase else { return }
        let isHeldBack = head.expectsContinue && head.hasBody
        if !isHeldBack, let skipper = try? BodyReader(head, bytesMax: 65_536, keeps: false) {
            reader = skipper
            phase = .skipping(head, response)
            deadline = now.advanced(by: limits.bodyTime)
        } else {
            var response = response
            response.closesConnection = true
            answer(response, to: head)
        }
    }

    /// The handler has answered; ignored when nobody waits for it any more.
    package mutating func answered(_ response: consuming Response) {
        guard case .handling(let head) = phase else { return }
        answer(response, to: head)
    }

    /// The answer to what `refuse` named.
    package mutating func refusalDressed(_ response: consuming Response) {
        guard case .refusing(let context) = phase else { return }
        phase = .answering(response, context)
    }

    /// The answer is written to its last byte.
    package mutating func written(at now: MonotonicInstant) -> Action {
        guard case .writing(let closes) = phase else { return .wait }
        if closes {
            phase = .lingering
            deadline = now.advanced(by: limits.lingerTime)
            input = []
            used = 0
            return .linger
        }
        phase = .awaiting
        parser = HeadParser()
        reader = nil
        compact()
        deadline = now.advanced(by: limits.idleTime)
        return .wait
    }

    /// No further request after the current one; idle connections end now.
    package mutating func drain() -> Action {
        isDraining = true
        return isIdle ? close() : .wait
    }

    /// The deadline has come.
    package mutating func deadlinePassed() -> Action {
        switch phase {
        case .head: refuse(.requestTimeout, for: nil)
        case .reading(let head, _): refuse(.requestTimeout, for: head)
        case .skipping(let head, _): refuse(.requestTimeout, for: head)
        case .handling(let head): refuse(.serviceUnavailable, for: head, isLate: true)
        case .awaiting, .admitting, .refused, .refusing, .answering, .writing, .lingering,
            .closed:
            return close()
        }
        return .wait
    }

    /// The peer ended its half: what it left unfinished is dropped; a handler counts as left.
    package mutating func peerFinished() -> Action {
        switch phase {
        case .writing(closes: false):
            phase = .writing(closes: true)  // It may still read what it asked for.
            return .wait
        case .writing, .answering: return .wait
        default: return close()
        }
    }

    private mutating func handOutRefusal() -> Action {
        guard case .refused(let request, let context) = phase else { return .wait }
        phase = .refusing(context)
        return .refuse(request)
    }

    /// The answer itself, not a copy of it: the phase is taken apart.
    private mutating func handOutAnswer(_ now: MonotonicInstant) -> Action {
        guard case .answering(_, let context) = phase else { return .wait }
        let writing = Phase.writing(closes: context.closes)
        guard case .answering(let response, _) = exchange(&phase, with: writing) else {
            return .wait
        }
        deadline = now.advanced(by: limits.writeTime)
        return .answer(response, to: context)
    }

    private mutating func idle() -> Action {
        used = 0
        // Most requests are short; an idle connection keeps no large buffer.
        input.removeAll(keepingCapacity: input.capacity <= 2_048)
        return .wait
    }

    private mutating func close() -> Action {
        phase = .closed
        return .close
    }
}
