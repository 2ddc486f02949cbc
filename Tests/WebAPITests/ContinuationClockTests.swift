import Domain
import HTTPServer
import InMemory
import OAuth
import TestSupport
import Testing
import WebAPI

/// Nodes whose clocks differ, within what is allowed (security.md section 13).
@Suite("Continuing at a node that is behind") struct ContinuationClockTests {
    @Test(
        "the first access token lives, whichever node gives it",
        arguments: [0, -1, -2] as [Int64]
    )
    func alive(_ seconds: Int64) async throws {
        let side = try await ContinuationTests.Side()
        let code = try await side.code()
        side.web.side.clock.advance(seconds: seconds)
        let answer = try await side.redeem(code)
        #expect(answer.status == 200)
        let token = try #require(answer["access_token"]?.string)
        let user = try await side.web.send(
            .get,
            "/oauth2/userinfo",
            headers: ["authorization": "Bearer \(token)"]
        )
        #expect(user.status == 200, "\(user.body)")
    }
}
