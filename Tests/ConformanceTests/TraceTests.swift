import Foundation
import Kafka
import Runtime
import TestSupport
import Testing

/// What a proxy traces, in the records that others read (Events 10.2).
@Suite("A trace on its way to Kafka", .timeLimit(.minutes(3))) struct TraceTests {
    private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let traceparent = "00-\(traceID)-00f067aa0ba902b7-01"

    @Test("is in the record of what a request did, and of what followed, which names its cause")
    func headers() async throws {
        let stack = try RunningStack.running()
        let file = try SettingsCopy(of: stack, named: "trace")
        defer { file.remove() }
        let proxied = "listen:\n  trusted_proxies: [\"127.0.0.1\"]\n"
        try file.write(file.original.replacing("listen:\n", with: proxied))
        let issuer = try await IssuerProcess(beside: stack, named: "tracing", settings: file.path)
        defer { issuer.stop() }
        var person = Person(at: Site(stack))
        let claims = try Self.claims(of: try await person.session())
        let subject = try #require(claims["sub"] as? String)
        let session = try #require(claims["sid"] as? String)
        let records = try await Records(stack)
        var admin = Browser(issuer.adminOrigin)
        let answer = try await admin.send(
            "POST",
            "/admin/v1/subjects/\(subject)/disable?project=demo",
            headers: [
                ("Authorization", "Bearer \(stack.facts["ADMIN_TOKEN"] ?? "")"),
                ("Content-Type", "application/json"), ("traceparent", Self.traceparent),
            ],
            body: #"{"reason":"a test"}"#
        )
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer["x-request-id"] == Self.traceID)
        // What came before may reach the topic only now.
        let disabled = try await records.first {
            $0["ce_stream"] == subject && $0["ce_type"]?.contains("subject.disabled") ?? false
        }
        let revoked = try await records.first {
            $0["ce_stream"] == session && $0["ce_type"]?.contains("offline-grant.revoked") ?? false
        }
        for record in [disabled, revoked] {
            #expect(record["ce_traceparent"] == Self.traceparent)
            #expect(record["ce_correlation"]?.filter { $0 != "-" } == Self.traceID)
        }
        #expect(disabled["ce_causation"] == nil)
        let version = try #require(disabled["ce_streamversion"])
        #expect(revoked["ce_causation"] == "\(subject):\(version)")
    }

    private static func claims(of answer: WireAnswer) throws -> [String: Any] {
        let token = try #require(WireAnswer(decoding: answer.member("access_token") ?? ""))
        let object = try JSONSerialization.jsonObject(with: token.body) as? [String: Any]
        return try #require(object?["claims"] as? [String: Any])
    }
}

/// The records of `chancery.events` from now on.
private final class Records: Sendable {
    private let loop: Loop
    private let settings: ReaderSettings
    private let begin: [Int32: Int64]

    init(_ stack: RunningStack) async throws {
        let client = KafkaClientSettings(
            bootstrapServers: stack.facts["KAFKA_BOOTSTRAP"] ?? "",
            clientID: "trace-test"
        )
        settings = ReaderSettings(client, topic: "chancery.events", fetchWaitMilliseconds: 5)
        let administration = try Administration(client, on: BlockingExecutor())
        begin = try await administration.watermarks(of: settings.topic).mapValues { $0.high }
        loop = try Loop.running()
    }

    deinit { loop.end() }

    /// The headers of the first record that is meant.
    func first(where isMeant: @escaping @Sendable ([String: String]) -> Bool)
        async throws -> [String: String]
    {
        let found = Guarded<[String: String]?>(nil)
        await loop.spawn { [loop, settings, begin] in
            let limit = MonotonicInstant.now().advanced(by: .seconds(60))
            guard let reader = try? Reader(settings, from: begin, on: loop) else { return }
            defer { reader.close() }
            while found.current == nil, MonotonicInstant.now() < limit {
                let next = loop.now.advanced(by: .seconds(1))
                for case .record(let record) in (try? await reader.next(atMost: 500, until: next))
                    ?? []
                {
                    let headers = record.headers.list.map { header in
                        (header.name, String(decoding: header.value, as: UTF8.self))
                    }
                    let named = Dictionary(headers) { $1 }
                    if found.current == nil, isMeant(named) { found.replace(with: named) }
                }
            }
        }.value
        return try #require(found.current)
    }
}
