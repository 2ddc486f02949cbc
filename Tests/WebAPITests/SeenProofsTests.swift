import Domain
import Issuing
import TestSupport
import Testing
import WebAPI

/// The memory of proofs used at resources (WireContract 6.4).
@Suite("Seen proofs") struct SeenProofsTests {
    private let start = Instant(seconds: 1_795_232_554)

    private func use(_ number: Int, until end: Instant) -> SingleUse {
        let stream = StreamID(high: 1, low: UInt64(number))
        return SingleUse(purpose: .dpop, stream: stream, expiresAt: end)
    }

    private func key(_ number: UInt8, project: Int16 = 1) throws -> ProofHolder {
        let bytes = [UInt8](repeating: number, count: 32)
        let key = Thumbprint(digest: try #require(TokenDigest(bytes: bytes)))
        return ProofHolder(.key(key), in: try #require(ProjectNumber(project)))
    }

    @Test("a proof is new once, until its times refuse it") func once() throws {
        let seen = SeenProofs()
        let end = start.adding(seconds: 301)
        let key = try key(1)
        #expect(seen.note(use(1, until: end), of: key, at: start) == .first)
        for seconds in [0, 1, 300] {
            let now = start.adding(seconds: Int64(seconds))
            #expect(seen.note(use(1, until: end), of: key, at: now) == .used)
        }
    }

    @Test("attack: a proof whose time ends between its reading and its noting is not new again")
    func late() throws {
        let seen = SeenProofs()
        let end = start.adding(seconds: 301)
        let key = try key(1)
        #expect(seen.note(use(1, until: end), of: key, at: start) == .first)
        #expect(seen.note(use(1, until: end), of: key, at: end) == .used)
        #expect(seen.note(use(2, until: end), of: key, at: end) == .used)
        // A clock that is set back a little finds it still there.
        let back = end.adding(seconds: -2)
        #expect(seen.note(use(1, until: end), of: key, at: end.adding(seconds: 2)) == .used)
        #expect(seen.note(use(1, until: end), of: key, at: back) == .used)
    }

    @Test("one key's proofs leave room for the others', and go with time") func perKey() throws {
        let seen = SeenProofs()
        let end = start.adding(seconds: 301)
        let (greedy, other) = (try key(1), try key(2))
        for number in 0..<SeenProofs.entriesPerHolderMax {
            #expect(seen.note(use(number, until: end), of: greedy, at: start) == .first)
        }
        let next = SeenProofs.entriesPerHolderMax
        #expect(seen.note(use(next, until: end), of: greedy, at: start) == .tooMany)
        #expect(seen.note(use(0, until: end), of: greedy, at: start) == .used)
        #expect(seen.note(use(next, until: end), of: other, at: start) == .first)
        let (gone, later) = (end.adding(seconds: 3), end.adding(seconds: 304))
        #expect(seen.note(use(next + 1, until: later), of: greedy, at: end) == .tooMany)
        #expect(seen.note(use(next + 1, until: later), of: greedy, at: gone) == .first)
        let roomy = SeenProofs(perHolderMax: next + 1)
        for number in 0...next {
            #expect(roomy.note(use(number, until: end), of: greedy, at: start) == .first)
        }
        #expect(roomy.note(use(next + 1, until: end), of: greedy, at: start) == .tooMany)
    }

    @Test("a full memory says so, and does not call a new proof used") func full() throws {
        let seen = SeenProofs()
        let end = start.adding(seconds: 301)
        let keys = SeenProofs.entriesMax / SeenProofs.entriesPerHolderMax
        for number in 0..<SeenProofs.entriesMax {
            let key = try key(UInt8(number % keys))
            guard seen.note(use(number, until: end), of: key, at: start) == .first else {
                return #expect(Bool(false), "\(number)")
            }
        }
        let last = use(SeenProofs.entriesMax, until: end)
        #expect(seen.note(last, of: try key(255), at: start) == .full)
        let (gone, later) = (end.adding(seconds: 3), end.adding(seconds: 304))
        let next = use(SeenProofs.entriesMax, until: later)
        #expect(seen.note(next, of: try key(255), at: gone) == .first)
    }

    @Test("attack: one project's clients leave as many places to the others as they take")
    func projects() throws {
        let seen = SeenProofs(perHolderMax: SeenProofs.entriesMax, leavesRoom: true)
        let end = start.adding(seconds: 301)
        var number = 0
        /// Notes all that it may, of one holder and then of another of its project.
        func fill(_ project: Int16) throws -> Int {
            let before = number
            for id in [1, 2] as [UInt8] {
                let holder = try key(id, project: project)
                while seen.note(use(number, until: end), of: holder, at: start) == .first {
                    number += 1
                }
                #expect(seen.note(use(number, until: end), of: holder, at: start) == .full)
            }
            return number - before
        }
        #expect(try fill(1) == SeenProofs.entriesMax / 2)
        #expect(try fill(2) == SeenProofs.entriesMax / 4)
        #expect(try fill(3) == SeenProofs.entriesMax / 8)
        let later = end.adding(seconds: 304)
        let next = use(number, until: later)
        let (first, gone) = (try key(1), end.adding(seconds: 3))
        #expect(seen.note(next, of: first, at: gone) == .first)
    }

    @Test("a clock that is set moves nothing back to life") func clocks() throws {
        let seen = SeenProofs()
        let end = start.adding(seconds: 301)
        #expect(seen.note(use(1, until: end), of: try key(1), at: start) == .first)
        let before = start.adding(seconds: -200)
        #expect(seen.note(use(1, until: end), of: try key(1), at: before) == .used)
        let nextDay = start.adding(seconds: 86_400)
        let later = nextDay.adding(seconds: 301)
        #expect(seen.note(use(1, until: later), of: try key(1), at: nextDay) == .first)
    }
}
