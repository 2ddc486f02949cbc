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
        let names = (0...2 * MailDispatch.onTheWayMax).map { "user\($0)" }
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

    @Test("a queue that is away costs one mail its lease, and no other anything")
    func queueAway() async throws {
        let said = SaidLog()
        let post = try await PostOffice(["ada", "grace", "alan"], log: said.log)
        post.queue.failNextRemoval()
        try await post.run { post in
            try await Waiting.until("the others are sent") { post.queue.names.count == 1 }
            #expect(post.queue.held == post.queue.names && post.queue.released.isEmpty)
            #expect(post.sender.handed == ["ada", "grace", "alan"])
            // It was sent, as its link knows: when its lease is over it only leaves the queue.
            post.queue.endLeases()
            try await Waiting.until("all are done with") { post.queue.isEmpty }
        }
        #expect(post.sender.handed == ["ada", "grace", "alan"])
        let lines = said.end().split(separator: "\n")
        #expect(lines.count == 1, "\(lines)")
        for words in ["a mail waits for its lease", "unavailable", "chancery doctor"] {
            #expect(lines.allSatisfy { $0.contains(words) }, "\(lines)")
        }
    }

    @Test(
        "a mail that the relay hangs over holds up no other, of before or of later",
        arguments: [2, MailDispatch.onTheWayMax]
    )
    func hangs(_ connections: Int) async throws {
        let post = try await PostOffice(["ada", "grace"], Self.seldom, connections: connections)
        let relay = Relay()
        post.sender.answers("ada") { await relay.reply() }
        try await post.run { post in
            try await Waiting.until("the one behind it is sent") { post.queue.names == ["ada"] }
            try await post.enqueue("alan")
            post.service.mailIsDue()
            try await Waiting.until("the later one, too") { post.sender.handed.last == "alan" }
            try await Waiting.until("and is done with") { post.queue.names == ["ada"] }
            relay.answer()
            try await Waiting.until("all are sent") { post.queue.isEmpty }
        }
        #expect(post.sender.handed == ["ada", "grace", "alan"])
        #expect(post.counts == ["sent": 3])
    }

    @Test(
        "no more than it may are on their way, and what waits for a place is anybody's",
        arguments: [1, 3, MailDispatch.onTheWayMax]
    )
    func bounded(_ connections: Int) async throws {
        let first = (0..<connections).map { "user\($0)" }
        let post = try await PostOffice(first + ["last"], Self.seldom, connections: connections)
        let relays = first.map { _ in Relay() }
        for (name, relay) in zip(first, relays) {
            post.sender.answers(name) { await relay.reply() }
        }
        try await post.run { post in
            try await Waiting.until("all places are taken") { relays.allSatisfy(\.isAsked) }
            post.service.mailIsDue()
            try await Task.sleep(for: .milliseconds(100))
            #expect(post.sender.handed == first && post.queue.held == first)
            // One that ends makes room.
            relays[0].answer()
            try await Waiting.until("the last is sent") {
                post.queue.names.count == first.count - 1
            }
            #expect(post.sender.handed == first + ["last"])
            for relay in relays { relay.answer() }
            try await Waiting.until("all are sent") { post.queue.isEmpty }
        }
    }

    @Test("another number of connections holds from the next mail on") func reloaded()
        async throws
    {
        let post = try await PostOffice(["ada", "grace"], Self.seldom, connections: 1)
        let relays = ["ada": Relay(), "grace": Relay()]
        for (name, relay) in relays { post.sender.answers(name) { await relay.reply() } }
        try await post.run { post in
            try await Waiting.until("the first is on its way") { post.sender.handed == ["ada"] }
            post.service.use(connections: 2)
            try await Waiting.until("so is the other") { post.sender.handed == ["ada", "grace"] }
            post.service.use(connections: 1)
            try await post.enqueue("alan")
            relays["ada"]?.answer()
            try await Waiting.until("the first is sent") { post.queue.names == ["grace", "alan"] }
            try await Task.sleep(for: .milliseconds(100))
            #expect(post.sender.handed == ["ada", "grace"])
            relays["grace"]?.answer()
            try await Waiting.until("all are sent") { post.queue.isEmpty }
        }
        #expect(post.counts == ["sent": 3])
    }

    @Test("at the end the mails on their way are waited for, and none is begun")
    func ends() async throws {
        let post = try await PostOffice(["ada", "grace"])
        let relays = ["ada": Relay(), "grace": Relay()]
        for (name, relay) in relays { post.sender.answers(name) { await relay.reply() } }
        await post.start()
        try await Waiting.until("both are on their way") {
            relays.values.allSatisfy(\.isAsked)
        }
        await post.end()
        try await post.enqueue("alan")
        post.service.mailIsDue()
        async let finished: Void = post.finish()
        for relay in relays.values { relay.answer() }
        await finished
        #expect(post.sender.handed == ["ada", "grace"])
        #expect(post.queue.names == ["alan"] && post.queue.released.isEmpty)
        #expect(post.counts == ["sent": 2])
        post.stop()
    }

    @Test("mails that were being leased as the end came are given back") func endsLeasing()
        async throws
    {
        let post = try await PostOffice(["ada", "grace"])
        let answer = Relay()
        post.queue.delayLeases { await answer.reply() }
        await post.start()
        try await Waiting.until("the queue is asked") { answer.isAsked }
        await post.end()
        async let finished: Void = post.finish()
        answer.answer()
        await finished
        #expect(post.queue.released == [["ada", "grace"]])
        #expect(post.sender.handed.isEmpty)
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
        try await Waiting.until("the other is sent") { post.queue.names == ["ada"] }
        await post.end()
        await post.finish()
        #expect(post.queue.released == [["ada"]])
        relay.answer()
        try await Waiting.until("it is done with") { post.queue.isEmpty }
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
