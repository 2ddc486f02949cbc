import Domain
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

/// A request that is refused, and how (WireContract 1.2 and 12.1).
private struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let query: String
    let error: String

    init(_ what: String, _ query: String, _ error: String = "invalid_request") {
        testDescription = what
        self.query = query
        self.error = error
    }
}

private let refusals = [
    Refusal("a cursor that nobody gave out", "after=abc"),
    Refusal("a limit of nothing", "limit=0"),
    Refusal("a limit above the greatest", "limit=1001"),
    Refusal("a limit that is no number", "limit=5x"),
    Refusal("a negative limit", "limit=-1"),
    Refusal("a limit with a sign", "limit=%2B5"),
    Refusal("a wait above the greatest", "wait=26"),
    Refusal("a wait of five digits", "wait=00001"),
    Refusal("limit twice", "limit=5&limit=5"),
    Refusal("wait twice", "wait=0&wait=0"),
    Refusal("after twice", "after=a&after=a"),
    Refusal("a query that is not UTF-8", "limit=%FF"),
    Refusal("a query that ends in the middle of an escape", "limit=%5"),
]

@Suite("The revocation feed over HTTP") struct RevocationFeedTests {
    // MARK: - Who may read

    @Test("nobody without a token, a sound one, of this project, in time, and of the scope")
    func authorization() async throws {
        let web = try await FeedSide()
        web.feed.add(3)
        let other = Project(
            number: try Fixture.some(ProjectNumber(2)),
            settings: web.side.project.settings,
            digest: web.side.project.digest,
            configuration: web.side.project.configuration,
            keys: SigningKeyRing.State(),
            keysStream: web.side.project.keysStream,
            keysVersion: 0
        )
        let good = try web.token()
        for (authorization, status, challenge) in [
            (nil, 401, "Bearer"),
            ("Basic YXBpOmEtc2VjcmV0", 401, "Bearer"),
            ("Bearer", 401, "Bearer"),
            ("Bearer nonsense", 401, "Bearer error=\"invalid_token\""),
            ("Bearer \(good)x", 401, "Bearer error=\"invalid_token\""),
            ("Bearer \(try web.token(of: other))", 401, "Bearer error=\"invalid_token\""),
            (
                "Bearer \(try web.token("openid email"))", 403,
                "Bearer error=\"insufficient_scope\", scope=\"revocations.read\""
            ),
            ("Bearer \(good)", 200, nil),
            ("bearer \(good)", 200, nil),
        ] as [(String?, Int, String?)] {
            let answer = try await web.get(authorization: authorization)
            #expect(answer.status == status, "\(authorization ?? "none"): \(answer.body)")
            #expect(answer.field("WWW-Authenticate") == (challenge.map { [$0] } ?? []))
            #expect((answer["items"] == nil) == (status != 200))
            #expect(answer.field("Cache-Control") == ["no-store"])
        }
        web.side.clock.advance(seconds: 901)
        #expect(try await web.get(authorization: "Bearer \(good)").status == 401)
    }

    @Test("who fails too often waits, and a sound token does not help before") func rate()
        async throws
    {
        let web = try await FeedSide(limits: [.failedRequest: .init(perMinute: 60, burst: 2)])
        web.feed.add(1)
        for _ in 0..<2 {
            #expect(try await web.get(authorization: "Bearer nonsense").status == 401)
        }
        let refused = try await web.get()
        #expect(refused.status == 429)
        #expect(refused.error == "x_rate_limited")
        #expect(refused.field("Retry-After") == ["1"])
    }

    @Test("readers who do nothing wrong are never limited") func unlimited() async throws {
        let web = try await FeedSide(limits: [.failedRequest: .init(perMinute: 60, burst: 2)])
        for _ in 0..<20 { #expect(try await web.get().status == 200) }
    }

    // MARK: - What may be asked

    @Test("a parameter that is not valid is refused, and nobody waits", arguments: refusals)
    private func refuses(_ refusal: Refusal) async throws {
        let web = try await FeedSide()
        let answer = try await web.get(refusal.query)
        #expect(answer.status == 400, "\(answer.body)")
        #expect(answer.error == refusal.error)
        #expect(web.feed.contents.withLock { $0.waits }.isEmpty)
    }

    @Test("unknown parameters are passed over") func unknown() async throws {
        let web = try await FeedSide()
        #expect(try await web.get("limit=5&since=yesterday&since=today").status == 200)
    }

    // MARK: - Pages

    @Test("pages follow each other, complete and ascending, of this project alone")
    func pages() async throws {
        let web = try await FeedSide()
        for index in 0..<25 as Range<Int64> {
            web.feed.add(index, project: index.isMultiple(of: 5) ? 2 : 1)
        }
        var found: [Int64] = []
        var query = "limit=7"
        for _ in 0..<5 {
            let answer = try await web.get(query)
            let items = try #require(answer["items"]?.array)
            found += items.compactMap { $0["log_index"]?.integer }
            query = "limit=7&after=\(try #require(answer["next"]?.string))"
        }
        #expect(found == (0..<25).filter { !$0.isMultiple(of: 5) })
        web.feed.add(30)
        let last = try await web.get(query)
        #expect(last["items"]?.array?.count == 1)
        #expect(last["watermark"]?["log_index"] == 30)
    }

    @Test("a page has 500 items where no limit is asked for") func usualLimit() async throws {
        let web = try await FeedSide()
        for index in 0..<501 as Range<Int64> { web.feed.add(index) }
        #expect(try await web.get()["items"]?.array?.count == 500)
        #expect(try await web.get("limit=1000")["items"]?.array?.count == 501)
    }

    @Test("an item is a record of the topic and its key") func item() async throws {
        let web = try await FeedSide()
        web.feed.add(12)
        let answer = try await web.get()
        let item = try #require(answer["items"]?.array?.first)
        let session = "\(Sample.stream(1012))"
        #expect(item["key"]?.string == session)
        #expect(item["sid"]?.string == session)
        #expect(item["revoked_at"]?.integer == Sample.time(0).milliseconds)
        #expect(item["expires_at"]?.integer == Sample.time(3660).milliseconds)
        #expect(item["reason"] == "logout")
        #expect(item["log_id"]?.string == "\(Sample.stream(7))")
        #expect(item["log_index"] == 12)
    }

    @Test("what came late reaches a reader that was past its number, once") func late()
        async throws
    {
        let web = try await FeedSide()
        web.feed.add(5)
        let first = try await web.get()
        let cursor = try #require(first["next"]?.string)
        web.feed.add(2, lateNumber: 1)
        let second = try await web.get("after=\(cursor)")
        let indexes = second["items"]?.array?.compactMap { $0["log_index"]?.integer }
        #expect(indexes == [2])
        let third = try await web.get("after=\(try #require(second["next"]?.string))")
        #expect(third["items"]?.array?.isEmpty == true)
        // Who begins now has all of it in one go.
        let fresh = try await web.get()
        #expect(fresh["items"]?.array?.compactMap { $0["log_index"]?.integer } == [2, 5])
    }

    // MARK: - Cursors

    @Test("without a database it answers 503 at once, and says when to come back")
    func away() async throws {
        let web = try await FeedSide()
        web.feed.contents.withLock { $0.isAway = true }
        let answer = try await web.get("wait=25")
        #expect(answer.status == 503)
        #expect(answer.error == "temporarily_unavailable")
        #expect(answer.field("Retry-After") == ["1"])
    }

    // MARK: - Waiting

    @Test("a wait ends with the first item") func wakes() async throws {
        let web = try await FeedSide()
        web.feed.contents.withLock { $0.whileWaiting = { $0.add(9) } }
        let answer = try await web.get("wait=25")
        #expect(answer["items"]?.array?.count == 1)
        #expect(web.feed.contents.withLock { $0.waits } == [.seconds(5)])
    }

    @Test("another project's item does not end it, and it does not last longer for that")
    func bounded() async throws {
        let web = try await FeedSide()
        let time = web.time
        web.feed.contents.withLock {
            $0.whileWaiting = { feed in
                time.pass(milliseconds: 4000)
                feed.add(9, project: 2)
            }
        }
        let answer = try await web.get("wait=10")
        #expect(answer["items"]?.array?.isEmpty == true)
        let waits = web.feed.contents.withLock { $0.waits }
        #expect(waits == [.seconds(5), .seconds(1), .seconds(2)])
        // The cursor has moved past what was not for this project.
        #expect(answer["next"]?.string != nil)
    }

    @Test("a clock that is set makes no wait longer or shorter", arguments: [Int64(-3600), 3600])
    func clockSet(_ seconds: Int64) async throws {
        let web = try await FeedSide()
        let (clock, time) = (web.side.clock, web.time)
        web.feed.contents.withLock {
            $0.whileWaiting = { _ in
                clock.advance(seconds: seconds)
                time.pass(milliseconds: 4000)
            }
        }
        #expect(try await web.get("wait=10").status == 200)
        let waits = web.feed.contents.withLock { $0.waits }
        #expect(waits == [.seconds(5), .seconds(1), .seconds(2)])
    }

    @Test("who waits when the process ends is answered with what there is") func ending()
        async throws
    {
        let web = try await FeedSide()
        web.feed.contents.withLock {
            $0.whileWaiting = { feed in feed.contents.withLock { $0.isEnding = true } }
        }
        let answer = try await web.get("wait=25")
        #expect(answer.status == 200)
        #expect(answer["next"]?.string != nil)
        #expect(web.feed.contents.withLock { $0.waits }.count == 1)
    }

    @Test("without a wait nobody waits") func noWait() async throws {
        let web = try await FeedSide()
        #expect(try await web.get().status == 200)
        #expect(try await web.get("wait=0").status == 200)
        #expect(web.feed.contents.withLock { $0.waits }.isEmpty)
    }
}
