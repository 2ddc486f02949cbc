import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Refreshes that show no device secret though their session has one, as those of the JavaScript
/// SDK (WireContract 5.1 and 10).
@Suite("Refreshes without the device secret") struct SecretlessRefreshTests {
    @Test("eight at once get the same successors, and each of these is good") func race()
        async throws
    {
        let web = try await WebSide()
        let session = try await NativeSSOTests.session(web)
        let token = try #require(session["refresh_token"]?.string)
        let before = web.commits
        let answers = try await withThrowingTaskGroup(of: [String?].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let answer = try await NativeSSOTests.refresh(web, token, client: "app")
                    return ["refresh_token", "device_secret", "id_token"].map {
                        answer[$0]?.string
                    }
                }
            }
            return try await group.reduce(into: [[String?]]()) { $0.append($1) }
        }
        let tokens = Set(answers.map { $0[0] })
        let secrets = Set(answers.map { $0[1] })
        #expect(tokens.count == 1 && !tokens.contains(nil))
        #expect(secrets.count == 1 && !secrets.contains(nil))
        #expect(secrets != [session["device_secret"]?.string])
        let issued = web.newestEvents(after: before).filter {
            if case .offlineGrant(.deviceSecretIssued) = $0 { true } else { false }
        }
        #expect(issued.count == 1)
        var form = try NativeSSOTests.form(session)
        form[3].1 = try #require(answers.last?[2])
        form[5].1 = try #require(answers.last?[1])
        #expect(try await NativeSSOTests.send(web, form).status == 200)
        let next = try await NativeSSOTests.refresh(web, answers.first?[0], client: "app")
        #expect(next.status == 200)
    }
}
