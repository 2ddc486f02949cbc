import Delivery
import Domain
import InMemory
import Issuing
import Runtime
import TestSupport
import Testing

/// A mail service on a loop of its own, with a queue that leases and a relay that does as told.
struct PostOffice: Sendable {
    let side: SignInSide
    let queue = LeasedQueue()
    let sender = ToldSender()
    let service: MailService
    private let metrics = Metrics()
    private let loop: Loop

    /// Short, but for what no test is about.
    static let times: MailService.Times = {
        var times = MailService.Times()
        times.lookInterval = .milliseconds(10)
        return times
    }()

    /// With a mail due to each of these at example.com.
    init(
        _ names: [String],
        _ times: MailService.Times = Self.times,
        connections: Int = MailDispatch.onTheWayMax,
        log: Log = .discarding
    ) async throws {
        side = try await SignInSide()
        loop = try Loop.running()
        service = MailService(
            MailDispatch(side.context, mailQueue: queue, sender: sender),
            connections: connections,
            clock: Pauses(),
            on: loop,
            metrics,
            log: log,
            times: times
        )
        for name in names { try await enqueue(name) }
    }

    /// A mail more is due.
    func enqueue(_ name: String) async throws {
        var browser = TestBrowser(side)
        _ = try await browser.enter("\(name)@example.com", at: browser.authorize())
        let mail = try #require(side.mailQueue.due.last)
        queue.add(mail, for: name)
    }

    func start() async { await loop.spawn { service.start() }.value }
    func end() async { await loop.spawn { service.end() }.value }
    func finish() async { await loop.spawn { await service.finish() }.value }

    func stop() { loop.end() }

    /// Runs the service while `body` runs.
    func run(_ body: (PostOffice) async throws -> Void) async throws {
        await start()
        do { try await body(self) } catch {
            await end()
            await finish()
            stop()
            throw error
        }
        await end()
        await finish()
        stop()
    }

    /// What became of mails, as the metrics say; none that is 0.
    var counts: [String: Int] {
        let text = String(decoding: metrics.render(), as: UTF8.self)
        var counts: [String: Int] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("chancery_mail_total{") {
            let words = line.split(whereSeparator: { "\" ".contains($0) })
            guard words.count > 2, let count = words.last.flatMap({ Int($0) }), count > 0 else {
                continue
            }
            counts[String(words[1])] = count
        }
        return counts
    }
}

/// The machine's clock.
private struct Pauses: Pause {
    func wait(milliseconds: Int) async {}

    func deadline(inMilliseconds milliseconds: Int) -> Deadline {
        let end = MonotonicInstant.now().advanced(by: .milliseconds(milliseconds))
        return Deadline(nanoseconds: end.nanoseconds)
    }
}
