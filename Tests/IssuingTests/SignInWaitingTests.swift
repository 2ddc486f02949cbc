import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("Waiting for an approval") struct SignInWaitingTests {
    /// A monotonic clock that moves by what is waited for.
    final class Time: Pause {
        private let clock = SettableClock(Instant(milliseconds: 0))

        func wait(milliseconds: Int) async { clock.advance(seconds: Int64(milliseconds) / 1000) }

        func deadline(inMilliseconds milliseconds: Int) -> Deadline {
            Deadline(nanoseconds: UInt64(clock.now.milliseconds + Int64(milliseconds)) * 1_000_000)
        }
    }

    @Test("a wait without news looks every two seconds and ends pending") func pending()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        let time = Time()
        let hints = InMemoryStreamHints { await time.wait(milliseconds: 2000) }
        let waiting = AwaitLogin(side.context, hints: hints, pause: time)
        let status = try await waiting.status(of: id, waitSeconds: 25, browser.request)
        #expect(status == .pending)
        #expect(hints.waits.count == 13 && hints.waits.allSatisfy { $0 <= 2000 })
        #expect(hints.listeners == 0)
        #expect(hints.streams.count == 2 && hints.streams.contains(id))
    }

    @Test("each look has its turn; a page that has none in time is told to ask again")
    func turns() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        func waiting(_ turns: InMemoryLookTurns) -> AwaitLogin {
            let time = Time()
            let hints = InMemoryStreamHints { await time.wait(milliseconds: 2000) }
            return AwaitLogin(side.context, hints: hints, pause: time, turns: turns)
        }
        let turns = InMemoryLookTurns()
        let page = waiting(turns)
        #expect(try await page.status(of: id, waitSeconds: 4, browser.request) == .pending)
        // The first, the one that follows the listening, and one after each wait.
        #expect(turns.taken == 4)
        let full = waiting(InMemoryLookTurns(isFull: true))
        let error = await #expect(throws: OAuthError.self) {
            try await full.status(of: id, waitSeconds: 4, browser.request)
        }
        #expect(error?.code == .temporarilyUnavailable)
    }

    @Test("an approval ends the wait") func approved() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        let phone = TestBrowser(side)
        let hints = InMemoryStreamHints { try? await phone.approve() }
        let waiting = AwaitLogin(side.context, hints: hints, pause: Time())
        let status = try await waiting.status(of: id, waitSeconds: 25, browser.request)
        #expect(status == .approved)
        #expect(hints.waits.count == 1 && hints.listeners == 0)
    }

    @Test("a page whose mail is sent again while it waits listens to the new link")
    func sentAgain() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        side.clock.advance(seconds: 61)
        let token = try await side.pages.waiting(id, browser.request).resendToken
        let (posted, request) = (browser.posted(id, token), browser.request)
        let time = Time()
        let hints = InMemoryStreamHints {
            // Once: the second comes in the minute of the first.
            _ = try? await side.links.resend(posted, request)
            await time.wait(milliseconds: 2000)
        }
        let waiting = AwaitLogin(side.context, hints: hints, pause: time)
        #expect(try await waiting.status(of: id, waitSeconds: 4, request) == .pending)
        let state = try await side.store.load(Authorization.self, id, by: Fixture.noDeadline).state
        let link = try Fixture.some(state.started?.loginLink)
        #expect(hints.streams.count == 4 && hints.streams.suffix(2) == [id, link])
        #expect(hints.streams[1] != link)
        #expect(hints.waits.count == 2 && hints.listeners == 0)
    }

    @Test("the end of the process ends the wait, pending") func ending() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        let hints = InMemoryStreamHints()
        hints.close()
        let waiting = AwaitLogin(side.context, hints: hints, pause: Time())
        let status = try await waiting.status(of: id, waitSeconds: 25, browser.request)
        #expect(status == .pending)
        #expect(hints.waits.count == 1 && hints.listeners == 0)
    }

    /// As many listen already as may.
    private struct NoHints: StreamHints {
        func listen(to streams: [StreamID]) -> (any StreamListener)? { nil }
    }

    @Test("where no more may listen, a page is held up two seconds and told what is new then")
    func full() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        let time = Time()
        let start = time.deadline(inMilliseconds: 0)
        let waiting = AwaitLogin(side.context, hints: NoHints(), pause: time)
        let status = try await waiting.status(of: id, waitSeconds: 25, browser.request)
        let end = time.deadline(inMilliseconds: 0)
        #expect(status == .pending)
        #expect(end.nanoseconds - start.nanoseconds == 2_000_000_000)
        #expect(try await waiting.status(of: id, waitSeconds: 0, browser.request) == .pending)
        #expect(time.deadline(inMilliseconds: 0) == end)
    }

    @Test("a page that has left waits no more, whose waits would all be over at once") func gone()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        let time = Time()
        let hints = InMemoryStreamHints {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await time.wait(milliseconds: 2000)
        }
        let waiting = AwaitLogin(side.context, hints: hints, pause: time)
        let request = browser.request
        let page = Task { try await waiting.status(of: id, waitSeconds: 25, request) }
        _ = try await page.value
        #expect(hints.waits.count == 1 && hints.listeners == 0)
    }

    @Test("what was seen is not told again, what was not seen is told at once") func seen()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        try await browser.approve()
        let time = Time()
        let hints = InMemoryStreamHints { await time.wait(milliseconds: 2000) }
        let waiting = AwaitLogin(side.context, hints: hints, pause: time)
        #expect(try await waiting.status(of: id, waitSeconds: 25, browser.request) == .approved)
        #expect(hints.waits.isEmpty)
        let again = try await waiting.status(
            of: id,
            seen: .approved,
            waitSeconds: 4,
            browser.request
        )
        #expect(again == .approved && hints.waits.count == 2)
    }

    @Test("how a request ended is told") func endings() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let waiting = AwaitLogin(side.context, hints: InMemoryStreamHints(), pause: Time())
        let done = try await browser.enter(SignInSide.address, at: browser.authorize())
        try await browser.approve()
        _ = try await browser.complete(done)
        #expect(try await waiting.status(of: done, waitSeconds: 0, browser.request) == .completed)
        side.clock.advance(seconds: 61)
        let old = try await browser.enter(
            SignInSide.address,
            at: browser.authorize("app", ["prompt": "login"])
        )
        side.clock.advance(seconds: 601)
        #expect(try await waiting.status(of: old, waitSeconds: 0, browser.request) == .expired)
        let page = try await side.pages.waiting(old, browser.request)
        let posted = browser.posted(old, page.frame.cancelToken)
        _ = try await CancelLogin(side.context).cancel(posted, browser.request)
        #expect(try await waiting.status(of: old, waitSeconds: 0, browser.request) == .canceled)
    }
}
