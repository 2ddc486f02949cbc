import Domain
import Runtime
import TestSupport
import Testing

@testable import Persistence

@Suite("How far an erasure is") struct ErasureProgressTests {
    private static let subject = Sample.subject(1)
    private static let now = MonotonicInstant(nanoseconds: 1_000_000_000)

    @Test("the next pass goes on where one ended, for some time") func goesOn() {
        var erasures = ErasuresInProgress()
        var progress = erasures.progress(of: Self.subject, at: Self.now)
        progress.reach = 7
        erasures.keep(progress, of: Self.subject, at: Self.now)
        #expect(erasures.isCurrent(progress))
        let soon = Self.now.advanced(by: .seconds(599))
        #expect(erasures.progress(of: Self.subject, at: soon).reach == 7)
        let late = Self.now.advanced(by: .seconds(600))
        #expect(erasures.progress(of: Self.subject, at: late).reach == 0)
    }

    @Test("at another server it begins anew, and what a pass did before counts for nothing")
    func otherServer() {
        var erasures = ErasuresInProgress()
        var progress = erasures.progress(of: Self.subject, at: Self.now)
        progress.reach = 7
        erasures.keep(progress, of: Self.subject, at: Self.now)
        erasures.beginServer()
        #expect(!erasures.isCurrent(progress))
        #expect(erasures.progress(of: Self.subject, at: Self.now).reach == 0)
        erasures.keep(progress, of: Self.subject, at: Self.now)
        let next = erasures.progress(of: Self.subject, at: Self.now)
        #expect(next.reach == 0)
        #expect(erasures.isCurrent(next))
    }
}
