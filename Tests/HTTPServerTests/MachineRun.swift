import HTTPServer
import Runtime

/// Runs a connection machine without a socket: bytes in, a transcript such as `200 open` out.
struct MachineRun {
    var machine: ConnectionMachine
    var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    var transcript: [String] = []
    var bodies: [[UInt8]] = []
    var heads: [RequestHead] = []
    var refused: [RefusedRequest] = []
    /// What bodies asked for beyond their first room, and what is left for them.
    var reserved: [Int] = []
    var roomLeft = Int.max
    /// Whether handlers answer at once.
    var answers = true

    init(_ limits: ServerLimits = ServerLimits()) {
        machine = ConnectionMachine(limits, at: now)
    }

    mutating func receive(_ bytes: some Sequence<UInt8>) {
        machine.input.append(contentsOf: bytes)
        if machine.isLingering || machine.isClosed { machine.input.removeAll() }
        while perform(machine.next(at: now)) {}
    }

    mutating func wait(_ duration: Duration) {
        now = now.advanced(by: duration)
        guard now >= machine.deadline else { return }
        perform(machine.deadlinePassed())
        while perform(machine.next(at: now)) {}
    }

    mutating func finish() {
        perform(machine.peerFinished())
        while perform(machine.next(at: now)) {}
    }

    mutating func answer(_ response: Response) {
        machine.answered(response)
        while perform(machine.next(at: now)) {}
    }

    @discardableResult
    mutating func perform(_ action: ConnectionMachine.Action) -> Bool {
        switch action {
        case .wait: return false
        case .admit(let head): admit(head)
        case .reserve(let count):
            reserved.append(count)
            guard count <= roomLeft else {
                machine.overloaded()
                return true
            }
            roomLeft -= count
            machine.reserved(count)
        case .sendContinue: transcript.append("100")
        case .dispatch(let head, let body, _):
            heads.append(head)
            bodies.append(body)
            if answers { machine.answered(Response(.ok)) }
        case .refuse(let request):
            refused.append(request)
            machine.refusalDressed(Response(request.status))
        case .answer(let response, let context):
            let end = context.closes ? "closed" : "open"
            transcript.append("\(response.status.rawValue) \(end)")
            perform(machine.written(at: now))
        case .linger: break
        case .close:
            if transcript.last?.hasSuffix("closed") != true { transcript.append("closed") }
            return false
        }
        return true
    }

    private mutating func admit(_ head: RequestHead) {
        switch head.path {
        case "/missing": machine.refused(Response(.notFound), at: now)
        case "/post" where head.method != .post:
            machine.refused(Response(.methodNotAllowed), at: now)
        case "/admin":
            machine.admitted(Admission.Terms(bodyBytesMax: 1_048_576), at: now)
        default: machine.admitted(Admission.Terms(), at: now)
        }
    }

    /// The transcript of `bytes` sent in these pieces.
    static func transcript(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        var run = MachineRun()
        for piece in pieces { run.receive(piece) }
        return run.transcript
    }
}
