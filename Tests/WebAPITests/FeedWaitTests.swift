import Domain
import OAuth
import Runtime
import TestSupport
import Testing

/// A wait in which nothing is revoked: the seconds that it lasts are asked for in `wait`, and pass
/// `step` by `step`.
private struct QuietWait: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let wait: Int
    let step: Int
    /// Up to which second the feed is complete, before the wait and after each step.
    let claims: [Double?]
    /// How long it was ready to wait each time, in seconds.
    let waits: [Int]
    /// What the answer says.
    let told: Double?

    init(
        _ what: String,
        _ wait: Int,
        step: Int,
        claims: [Double?],
        waits: [Int],
        told: Double?
    ) {
        testDescription = what
        self.wait = wait
        self.step = step
        self.claims = claims
        self.waits = waits
        self.told = told
    }

    func claim(after steps: Int) -> Instant? {
        claims[min(steps, claims.count - 1)].map { Sample.time($0) }
    }
}

private let quietWaits = [
    QuietWait(
        "ends after five seconds with a newer watermark",
        25,
        step: 5,
        claims: [1, 6],
        waits: [5],
        told: 6
    ),
    QuietWait(
        "not before, however often the watermark moves and somebody rings",
        25,
        step: 1,
        claims: [1, 2, 3, 4, 5, 6],
        waits: [5, 4, 3, 2, 1],
        told: 6
    ),
    QuietWait(
        "goes on to its end while the watermark stands still",
        25,
        step: 5,
        claims: [1],
        waits: [5, 5, 5, 5, 5],
        told: 1
    ),
    QuietWait(
        "ends with the first newer one behind that",
        25,
        step: 5,
        claims: [1, 1, 1, 2],
        waits: [5, 5, 5],
        told: 2
    ),
    QuietWait(
        "ends with a watermark where there was none",
        25,
        step: 5,
        claims: [nil, nil, 6],
        waits: [5, 5],
        told: 6
    ),
    QuietWait(
        "goes on where there is none any more",
        10,
        step: 5,
        claims: [1, nil],
        waits: [5, 5],
        told: nil
    ),
    QuietWait(
        "goes on where a clock was set back",
        10,
        step: 5,
        claims: [6, 2],
        waits: [5, 5],
        told: 2
    ),
    QuietWait(
        "of less than that lasts as long as was asked",
        3,
        step: 3,
        claims: [1, 4],
        waits: [3],
        told: 4
    ),
]

/// What somebody hears at the feed to whom nothing happens (WireContract 12.1, decision 0248).
@Suite("A quiet wait at the feed") struct FeedWaitTests {
    @Test("ends in time", arguments: quietWaits)
    private func waits(_ row: QuietWait) async throws {
        let web = try await FeedSide()
        let time = web.time
        web.feed.contents.withLock { contents in
            contents.completeThrough = row.claim(after: 0)
            contents.whileWaiting = { feed in
                time.pass(milliseconds: row.step * 1000)
                feed.contents.withLock { $0.completeThrough = row.claim(after: $0.waits.count) }
            }
        }
        let answer = try await web.get("wait=\(row.wait)")
        #expect(answer.status == 200)
        #expect(answer["items"]?.array?.isEmpty == true)
        let told = answer["watermark"]?["complete_through_at"]?.integer
        #expect(told == row.told.map { Sample.time($0).milliseconds })
        let waits = web.feed.contents.withLock { $0.waits }
        #expect(waits == row.waits.map { Duration.seconds($0) })
    }

    /// The end of a request's id, and when its wait looks.
    private static let looks: [(UInt64, Int)] = [
        (0, 5000), (1, 4999), (500, 4500), (501, 5000), (.max, 4952),
    ]

    @Test("of another request looks at another moment, at most a tenth earlier", arguments: looks)
    func spread(_ id: UInt64, _ milliseconds: Int) async throws {
        let web = try await FeedSide()
        let time = web.time
        web.feed.contents.withLock { contents in
            contents.whileWaiting = { _ in time.pass(milliseconds: milliseconds) }
        }
        _ = try await web.get("wait=10", authorization: "Bearer \(try web.token())", id: id)
        let waits = web.feed.contents.withLock { $0.waits }
        let look = Duration.milliseconds(milliseconds)
        #expect(waits.prefix(2) == [look, min(look, Duration.seconds(10) - look)])
    }
}
