import InMemory
import Issuing
import Runtime
import TestSupport
import Testing

/// What a sender does about a mail after its lease, when another has leased it.
@Suite("Mails whose lease is over", .timeLimit(.minutes(1))) struct LateMailTests {
    /// Runs `body` while two tries to send one mail are on their way, the first of them late.
    ///
    /// `failures`: what the relay answers to each, when it is told to; nil: it takes the mail.
    private static func run(
        failing failures: [MailError?],
        _ body: (PostOffice, [Relay]) async throws -> Void
    ) async throws {
        let post = try await PostOffice(["ada"])
        let relays = failures.map { _ in Relay() }
        let tries = Guarded(0)
        post.sender.answers("ada") { () async throws(MailError) in
            let number = tries.withLock { tries in
                defer { tries += 1 }
                return tries
            }
            guard number < failures.count else { return }
            await relays[number].reply()
            if let failure = failures[number] { throw failure }
        }
        try await post.run { post in
            try await Waiting.until("the first is on its way") { relays[0].isAsked }
            post.queue.endLeases()
            try await Waiting.until("so is the second") { relays[1].isAsked }
            try await body(post, relays)
        }
    }

    @Test("one that is given up stays with whom it is leased to") func givenUp() async throws {
        try await Self.run(failing: [.permanent(code: 550), nil]) { post, relays in
            relays[0].answer()
            try await Waiting.until("the first is over") { post.counts["given_up"] == 1 }
            #expect(post.queue.held == ["ada"])
            relays[1].answer()
            try await Waiting.until("the second is over") { post.counts["sent"] == 1 }
            #expect(post.queue.isEmpty)
        }
    }

    @Test("one that was sent goes, and whom it is leased to does not try again") func sent()
        async throws
    {
        try await Self.run(failing: [nil, .transient(code: 451)]) { post, relays in
            relays[0].answer()
            try await Waiting.until("the first is over") { post.counts["sent"] == 1 }
            #expect(post.queue.isEmpty)
            relays[1].answer()
            try await Waiting.until("the second is over") { post.counts["put_off"] == 1 }
            #expect(post.queue.isEmpty && post.queue.waits.isEmpty)
            #expect(post.sender.handed == ["ada", "ada"])
        }
    }

    @Test("one that nobody is to get any more is dropped by whom it is leased to alone")
    func unwanted() async throws {
        let post = try await PostOffice(["ada"])
        defer { post.stop() }
        let mails = MailDispatch(post.side.context, mailQueue: post.queue, sender: post.sender)
        let late = try await mails.lease(upTo: 1, by: Fixture.noDeadline)
        post.queue.endLeases()
        let taken = try await mails.lease(upTo: 1, by: Fixture.noDeadline)
        try #require(late.count == 1 && taken.count == 1)
        // Its link is dead.
        post.side.clock.advance(seconds: 24 * 3600)
        #expect(try await mails.deliver(late[0], by: Fixture.noDeadline) == .unwanted)
        #expect(post.queue.held == ["ada"])
        #expect(try await mails.deliver(taken[0], by: Fixture.noDeadline) == .unwanted)
        #expect(post.queue.isEmpty && post.sender.handed.isEmpty)
    }
}
