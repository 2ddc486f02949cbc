import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Whom the log names where an app sends another client's name (Events 1, WireContract 5.4
/// and 5.7).
@Suite("Who acted") struct ActorTests {
    /// The client of each commit but the first `count`, as its actor and as its column says.
    private static func clients(_ web: WebSide, after count: Int) -> [[String]] {
        web.side.store.commits.dropFirst(count).map { commit in
            guard case .client(let actor) = commit.attributes.actor else {
                return ["\(commit.attributes.actor)", commit.attributes.client?.text ?? ""]
            }
            return [actor.text, commit.attributes.client?.text ?? ""]
        }
    }

    @Test("an app that lets another in acted itself; the other is named as whom it let in")
    func approval() async throws {
        let web = try await WebSide()
        let end = Instant(microseconds: .max)
        try await App2AppTests.configure(web, .init(insecureBindingUntil: end))
        let owner = try await App2AppTests.Owner(web, bound: false)
        let before = web.commits
        #expect(try await owner.approve(owner.jwt()).status == 200)
        #expect(Self.clients(web, after: before) == [["app", "app"]])
        let named = web.newestEvents(after: before).compactMap { event -> String? in
            switch event {
            case .offlineGrant(.app2appApproved(let approval)): approval.target.text
            case .authorizationCode(.issued(let ticket)): ticket.client.text
            default: nil
            }
        }
        #expect(named.sorted() == ["other", "other"])
    }

    @Test("a spent refresh token that asks for another app ends what its own app had let in")
    func reuse() async throws {
        let web = try await CascadeTests.cascading()
        let owner = try await CascadeTests.Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        let refreshed = try await owner.refresh()
        let next = refreshed["refresh_token"]?.string
        let again = try await NativeSSOTests.refresh(web, next, client: "app")
        #expect(again.status == 200)
        let before = web.commits
        #expect(try await owner.ask("other").error == "invalid_grant")
        try await CascadeTests.expectCascaded(target.session(), web)
        #expect(Self.clients(web, after: before) == [["app", "app"], ["app", "app"]])
    }

    @Test("an app that gets a URL for a web client acted itself; the web client is named in it")
    func url() async throws {
        let web = try await WebSide()
        let session = try await PreAuthenticatedURLTests.session(web)
        var shown = session
        // The second time it shows the web client's id token, which came with the first URL.
        for _ in 0..<2 {
            let before = web.commits
            shown = try await PreAuthenticatedURLTests.exchange(web, shown)
            #expect(shown.status == 200, "\(shown.body)")
            #expect(Self.clients(web, after: before) == [["app", "app"]])
            let named = web.newestEvents(after: before).compactMap { event -> String? in
                switch event {
                case .offlineGrant(.urlIssued(let issued)): issued.client.text
                case .preAuthenticatedURL(.issued(let ticket)): ticket.client.text
                default: nil
                }
            }
            #expect(named == ["offers", "offers"])
        }
    }
}
