import Assembly
import Configuration
import Domain
import EventFormat
import Kafka
import Persistence
import Runtime

/// The events of one session, where they are stored and where they are published.
struct WalkLog: Sendable {
    private static let waitMax = Duration.seconds(15)

    let settings: OperatorSettings
    let loop: Loop

    /// `name stream version`, in the order of the log.
    func stored(_ session: String) async throws(CommandFailure) -> [String] {
        guard let id = StreamID(text: session.utf8) else {
            throw CommandFailure("\(session) is no session's id")
        }
        let inspection = try await DatabaseInspection(try settings.address(), on: loop)
        defer { inspection.close() }
        return try await inspection.events(ofSession: (id.high, id.low)).map { event in
            let name = StoredType(rawValue: event.type)?.name ?? "type \(event.type)"
            let stream = StreamID(high: event.streamHigh, low: event.streamLow)
            return "chancery.\(name)  \(stream)  \(event.version)"
        }
    }

    /// The same of the first `count` records that carry the session, waiting for them.
    func published(_ session: String, count: Int) async throws(CommandFailure) -> [String] {
        do throws(KafkaError) {
            var found: [(sequence: String, line: String)] = []
            let client = KafkaClientSettings(settings.kafka, clientID: "chancery-walk")
            let topic = settings.kafka.eventsTopic
            let ends = try await Administration(client, on: Wiring.blocking)
                .watermarks(of: topic)
            let reader = try Reader(
                ReaderSettings(client, topic: topic, fetchWaitMilliseconds: 5),
                from: ends.mapValues(\.low),
                on: loop
            )
            defer { reader.close() }
            let deadline = MonotonicInstant.now().advanced(by: Self.waitMax)
            while found.count < count, MonotonicInstant.now() < deadline {
                for case .record(let record) in try await reader.next(atMost: 500, until: deadline)
                where record.text("ce_session") == session {
                    let sequence = record.text("ce_sequence")
                    // A relay may say a thing twice; the number tells.
                    guard !found.contains(where: { $0.sequence == sequence }) else { continue }
                    found.append((sequence, record.line))
                }
            }
            return found.sorted { $0.sequence < $1.sequence }.map(\.line)
        } catch { throw CommandFailure("Kafka at \(settings.kafka.bootstrap): \(error)") }
    }
}

extension ReceivedRecord {
    fileprivate func text(_ name: String) -> String {
        String(decoding: header(name) ?? [], as: UTF8.self)
    }

    fileprivate var line: String {
        "\(text("ce_type"))  \(text("ce_stream"))  \(text("ce_streamversion"))"
    }
}
