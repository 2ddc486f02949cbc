internal import CPostgres
package import Runtime

extension Connection {
    /// Connects without blocking the loop.
    ///
    /// Looking up a name does not count: a name server that is down costs the resolver seconds,
    /// each time, and the next one answers then.
    ///
    /// - Throws: `.cannotConnect` with libpq's text and what PostgreSQL named, `.deadlineExceeded`.
    package static func connect(
        _ settings: ConnectionSettings,
        on loop: Loop,
        deadline: MonotonicInstant
    ) async throws(PostgresError) -> Connection {
        loop.assertCurrent()
        let asked = MonotonicInstant.now()
        let attempt = ConnectionAttempt(try await settings.resolved(), on: loop)
        let waited = MonotonicInstant.now().nanoseconds - asked.nanoseconds
        let deadline = deadline.advanced(by: .nanoseconds(Int64(waited)))
        let answer = await loop.suspend { waiting in
            attempt.start(deadline: deadline) { unsafe waiting.resume(returning: $0) }
        }
        return try answer.get()
    }
}

// @unchecked: touched on its loop alone.
/// One attempt to connect: libpq says what it waits for, the loop waits.
@safe private final class ConnectionAttempt: @unchecked Sendable {
    typealias Answer = Result<Connection, PostgresError>

    private let settings: ConnectionSettings
    private let loop: Loop
    private var handle: OpaquePointer?
    private var watch: Watch?
    private var timer: LoopTimer?
    private var answer: ((Answer) -> Void)?

    init(_ settings: ConnectionSettings, on loop: Loop) {
        self.settings = settings
        self.loop = loop
    }

    func start(deadline: MonotonicInstant, _ answer: @escaping (Answer) -> Void) {
        self.answer = answer
        timer = loop.schedule(at: deadline) { [self] in
            finish(.failure(.deadlineExceeded(sent: false)))
        }
        unsafe handle = settings.startConnecting()
        guard let handle = unsafe handle else {
            return finish(.failure(.cannotConnect("out of memory")))
        }
        unsafe cpostgres_silence(handle)
        // Its text has the condition then, which is the same in every language of a server.
        unsafe PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        guard unsafe PQstatus(handle) != CONNECTION_BAD else { return refuse() }
        wait(for: .writable)
    }

    private func wait(for interest: Interest) {
        guard let handle = unsafe handle else { return }
        // The socket may be another one after each step.
        watch?.cancel()
        watch = loop.watch(unsafe PQsocket(handle), interest) { [self] _ in step() }
    }

    private func step() {
        guard let handle = unsafe handle else { return }
        // Cancelled first: libpq may close the socket inside.
        watch?.cancel()
        watch = nil
        switch unsafe PQconnectPoll(handle) {
        case PGRES_POLLING_READING: wait(for: .readable)
        case PGRES_POLLING_WRITING: wait(for: .writable)
        case PGRES_POLLING_OK: connected()
        default: refuse()
        }
    }

    private func connected() {
        guard let handle = unsafe handle,
            unsafe PQsetnonblocking(handle, 1) == 0, unsafe PQenterPipelineMode(handle) == 1
        else { return refuse() }
        unsafe self.handle = nil
        finish(
            .success(
                unsafe Connection(
                    handle,
                    on: loop,
                    silenceMax: settings.silenceMax,
                    pulse: settings.pulse
                )
            )
        )
    }

    private func refuse() {
        let text = unsafe handle.map { unsafe String(cString: PQerrorMessage($0)) } ?? ""
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }
        let state = text.matches(of: #/:  ([0-9A-Z]{5}): /#).last.map { SQLState(String($0.1)) }
        finish(.failure(.cannotConnect(lines.joined(separator: "; "), state)))
    }

    private func finish(_ result: Answer) {
        watch?.cancel()
        watch = nil
        timer?.cancel()
        timer = nil
        if let handle = unsafe handle { unsafe PQfinish(handle) }
        unsafe handle = nil
        answer?(result)
        answer = nil
    }
}

extension ConnectionSettings {
    fileprivate func startConnecting() -> OpaquePointer? {
        let words = keywords
        guard let password else { return unsafe Self.start(words.map(\.name), words.map(\.value)) }
        // libpq keeps a copy as long as the connection lives: one of ours less would hide nothing.
        let text = password.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        return unsafe Self.start(
            words.map(\.name) + ["password"],
            words.map(\.value) + [text]
        )
    }

    private static func start(_ names: [String], _ values: [String]) -> OpaquePointer? {
        unsafe withTexts(names) { names in
            unsafe withTexts(values) { values in unsafe PQconnectStartParams(names, values, 0) }
        }
    }

    /// C strings side by side, and a null pointer at the end.
    private static func withTexts<Answer>(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Answer
    ) -> Answer {
        var bytes: [CChar] = []
        var starts: [Int] = []
        for text in texts {
            starts.append(bytes.count)
            bytes.append(contentsOf: text.utf8CString)
        }
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            let pointers: [UnsafePointer<CChar>?] = unsafe starts.map { start in
                unsafe buffer.baseAddress.map { unsafe $0 + start }
            }
            return unsafe body(pointers + [nil])
        }
    }
}
