package import Domain
package import Kafka
internal import OAuth
package import Runtime

/// Reads `chancery.events` for what it hints at: these streams have moved (Architecture 6, 11).
///
/// A hint decides nothing. Records are read from the end of the topic, on every node, by `assign`;
/// what was missed while Kafka was away is found by comparing heads.
package final class HintReader: Sendable {
    private static let batchMax = 500
    private static let retryPause = Duration.seconds(1)
    /// How long brokers may take to refuse the first question.
    private static let refusalMax = Duration.seconds(10)

    private let silenceMax: Duration
    private let settings: ReaderSettings
    private let blocking: BlockingExecutor
    private let loop: Loop
    private let log: Log
    private let changed: @Sendable (StreamID, Int32?) -> Void

    /// `changed` hears of every stream, and its version where one is told.
    ///
    /// `silenceMax`: so long nothing may come before the brokers are asked again; a relay marks
    /// each partition every second.
    package init(
        _ settings: ReaderSettings,
        on loop: Loop,
        blocking: BlockingExecutor,
        log: Log,
        silenceMax: Duration = .seconds(30),
        changed: @escaping @Sendable (StreamID, Int32?) -> Void
    ) {
        self.settings = settings
        self.loop = loop
        self.blocking = blocking
        self.log = log
        self.silenceMax = silenceMax
        self.changed = changed
    }

    /// Reads until the loop stops; brokers that are away, or were silent, are asked again.
    package func run() async {
        // Nil: not known yet.
        var isReading: Bool?
        while !loop.isStopping {
            do throws(KafkaError) {
                let ends = try await ends()
                // Who may see the topic may not be allowed to read it.
                try await follow(from: ends) {
                    guard isReading != true else { return }
                    log.notice("reading hints", .field("topic", settings.topic))
                    isReading = true
                }
            } catch {
                if isReading != false {
                    log.warning(
                        "no hints from Kafka; heads are compared instead",
                        .field("error", "\(error)")
                    )
                }
                isReading = false
            }
            try? await loop.sleep(until: loop.now.advanced(by: Self.retryPause))
        }
    }

    private func ends() async throws(KafkaError) -> [Int32: Int64] {
        let administration = try Administration(settings.client, on: blocking)
        return try await administration.watermarks(of: settings.topic).mapValues { $0.high }
    }

    private static func version(_ digits: [UInt8]) -> Int32? {
        DecimalDigits.read(digits).flatMap { Int32(exactly: $0) }
    }

    /// `began` hears of the first answer, or after a while without a refusal: what nobody writes to
    /// has nothing to read.
    ///
    /// Returns after a silence: brokers that went away are no error of a reader, which looks for
    /// them for ever. Who asks for the ends hears of it.
    private func follow(
        from offsets: [Int32: Int64],
        began: () -> Void
    ) async throws(KafkaError) {
        let reader = try Reader(settings, from: offsets, on: loop)
        defer { reader.close() }
        let start = MonotonicInstant.now()
        var lastReading = start
        var hasBegun = false
        while !loop.isStopping {
            // The clock's time: that of a turn which took longer would be past, and nobody waited.
            let until = MonotonicInstant.now().advanced(by: .seconds(1))
            let readings = try await reader.next(atMost: Self.batchMax, until: until)
            let now = MonotonicInstant.now()
            if !readings.isEmpty { lastReading = now }
            let isLong = now.since(start) >= Self.refusalMax
            if !hasBegun, isLong || !readings.isEmpty {
                hasBegun = true
                began()
            }
            guard now.since(lastReading) < silenceMax else { return }
            for reading in readings {
                guard case .record(let record) = reading else { continue }
                // A login-id's record names no stream: nothing cached hangs on it alone.
                guard let text = record.header("ce_stream"), let stream = StreamID(text: text)
                else { continue }
                changed(stream, record.header("ce_streamversion").flatMap(Self.version))
            }
            // A backlog is taken a batch a turn: others want the loop, too.
            await loop.park { turn in loop.atEndOfTurn { turn.resume(returning: ()) } }
        }
    }
}
