import Delivery
import InMemory
import Issuing
import Runtime
import TestSupport
import Testing

@Suite("Sending the mails that are due", .timeLimit(.minutes(1))) struct MailServiceTests {
    /// It does not look by itself as long as a test runs.
    private static let seldom: MailService.Times = {
        var times = PostOffice.times
        times.lookInterval = .seconds(600)
        return times
    }()

    @Test("each goes out once, those queued later too") func sends() async throws {
        let post = try await PostOffice(["ada", "grace"], Self.seldom)
        try await post.run { post in
            try await Waiting.until("both are sent") { post.queue.isEmpty }
            try await post.enqueue("alan")
            post.service.mailIsDue()
            try await Waiting.until("the third is sent") { post.queue.isEmpty }
        }
        #expect(post.sender.handed == ["ada", "grace", "alan"])
        #expect(post.counts == ["sent": 3])
    }

    @Test("more than it takes at once go out without a pause") func many() async throws {
        let names = (0...MailDispatch.mailsPerRun).map { "user\($0)" }
        let post = try await PostOffice(names, Self.seldom)
        try await post.run { post in
            try await Waiting.until("all are sent") { post.queue.isEmpty }
        }
        #expect(post.sender.handed == names)
        #expect(post.counts == ["sent": names.count])
    }

    @Test("one that the relay refuses for good is given up, and keeps no other back")
    func refused() async throws {
        let post = try await PostOffice(["ada", "grace", "alan"])
        post.sender.answers("grace") { () throws(MailError) in throw .permanent(code: 550) }
        try await post.run { post in
            try await Waiting.until("all are done with") { post.queue.isEmpty }
        }
        #expect(post.sender.handed == ["ada", "grace", "alan"])
        #expect(post.counts == ["sent": 2, "given_up": 1])
    }

    @Test("a relay that is away is asked again, later each time, until it is there")
    func away() async throws {
        let post = try await PostOffice(["ada", "grace"])
        for name in ["ada", "grace"] {
            let tries = Guarded(0)
            post.sender.answers(name) { () throws(MailError) in
                let number = tries.withLock { tries in
                    tries += 1
                    return tries
                }
                if number <= 2 { throw .transient(code: 0) }
            }
        }
        try await post.run { post in
            try await Waiting.until("both are sent") { post.queue.isEmpty }
        }
        let waits = MailDispatch.backoffSeconds.prefix(2)
        #expect(post.queue.waits.sorted() == waits.flatMap { [$0, $0] })
        #expect(post.counts == ["sent": 2, "put_off": 4])
    }

    @Test("a queue that is away costs the first its lease, and gives the others back")
    func queueAway() async throws {
        let post = try await PostOffice(["ada", "grace", "alan"])
        post.queue.failNextRemoval()
        try await post.run { post in
            try await Waiting.until("the others are sent") { post.sender.handed.count >= 3 }
            #expect(post.queue.released == [["grace", "alan"]])
            #expect(post.sender.handed == ["ada", "grace", "alan"])
            // It was sent, as its link knows: when its lease is over it only leaves the queue.
            post.queue.endLeases()
            try await Waiting.until("all are done with") { post.queue.isEmpty }
        }
        #expect(post.sender.handed == ["ada", "grace", "alan"])
    }

    @Test("behind a slow relay no mail is begun that might outlast its lease") func slow()
        async throws
    {
        var times = PostOffice.times
        times.batchMax = .milliseconds(100)
        let post = try await PostOffice(["ada", "grace", "alan"], times)
        post.sender.answers("ada") {
            let over = MonotonicInstant.now().advanced(by: .milliseconds(100))
            try? await Loop.current?.sleep(until: over)
        }
        try await post.run { post in
            try await Waiting.until("all are sent") { post.queue.isEmpty }
        }
        #expect(post.queue.released.first == ["grace", "alan"])
        #expect(post.sender.handed == ["ada", "grace", "alan"])
        #expect(post.counts == ["sent": 3])
    }

    @Test("at the end the mail on its way is waited for, and the others are given back")
    func ends() async throws {
        let post = try await PostOffice(["ada", "grace", "alan"])
        let relay = Relay()
        post.sender.answers("ada") { await relay.reply() }
        await post.start()
        try await Waiting.until("the first is on its way") { relay.isAsked }
        await post.end()
        async let finished: Void = post.finish()
        relay.answer()
        await finished
        #expect(post.sender.handed == ["ada"])
        #expect(post.queue.released == [["grace", "alan"]])
        #expect(post.counts == ["sent": 1])
        post.stop()
    }

    @Test("a relay that takes no end is not waited for: its mail is given back as well")
    func endsWithout() async throws {
        var times = PostOffice.times
        times.transmissionMax = .milliseconds(50)
        let post = try await PostOffice(["ada", "grace"], times)
        let relay = Relay()
        post.sender.answers("ada") { await relay.reply() }
        await post.start()
        try await Waiting.until("the first is on its way") { relay.isAsked }
        await post.end()
        await post.finish()
        #expect(post.queue.released == [["ada", "grace"]])
        relay.answer()
        try await Waiting.until("it is done with") { post.queue.names == ["grace"] }
        await post.finish()
        post.stop()
    }

    @Test("none is sent by a node whose clock is wrong") func wrongClock() async throws {
        let post = try await PostOffice(["ada"])
        post.side.clock.distrust("3 s behind")
        try await post.run { post in
            post.service.mailIsDue()
            try await Task.sleep(for: .milliseconds(100))
            #expect(post.sender.handed.isEmpty)
            post.side.clock.distrust(nil)
            try await Waiting.until("it is sent") { post.queue.isEmpty }
        }
    }
}

/// A relay that answers when it is told to.
private final class Relay: Sendable {
    private struct State {
        var isAsked = false
        var isTold = false
    }

    private let state = Guarded(State())

    var isAsked: Bool { state.withLock { $0.isAsked } }

    func answer() { state.withLock { $0.isTold = true } }

    /// On a loop.
    func reply() async {
        state.withLock { $0.isAsked = true }
        while !state.withLock({ $0.isTold }) {
            let soon = MonotonicInstant.now().advanced(by: .milliseconds(5))
            try? await Loop.current?.sleep(until: soon)
        }
    }
}
