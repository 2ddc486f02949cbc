import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// The document in force cannot be read here, and the node serves the one before (decision 0156).
@Suite("Login links at a node that is behind") struct BehindLinkTests {
    @Test("by the path of an app that it may only lack they are answered nothing final")
    func lacked() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        var mailed = try await browser.presented()
        mailed.client = Array("newer".utf8)
        let link = mailed
        let before = side.store.commits.count
        for isBehind in [true, false] {
            side.isBehind = isBehind
            let request = browser.request
            let refusal = await #expect(throws: ApproveLoginLink.Refusal.self) {
                try await side.approval.approve(link, by: .native, number: nil, request)
            }
            switch refusal {
            case .failed(let error)?: #expect(isBehind && error.code == .temporarilyUnavailable)
            case .dead?: #expect(!isBehind)
            default: Issue.record("\(String(describing: refusal))")
            }
        }
        #expect(side.store.commits.count == before)
    }
}
