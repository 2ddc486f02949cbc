import Domain
import Foundation
import Issuing
import Persistence
import TestSupport
import Testing

extension SettingsCatalogueTests {
    private static let feed = document.replacingOccurrences(
        of: "hosts: [auth.example.com]",
        with: #"hosts: [auth.example.com], projector_origin: "https://feed.example.com:8443""#
    )

    @Test("are found where their feed is, too, but for a host that another one answers")
    func feedHost() async throws {
        try await StoreHarness.with { database, _ in
            let filler = LogFiller(database: database)
            try await filler.addProject(Array(Self.feed.utf8))
            let (own, projects) = try await Self.catalogue(of: database)
            defer { own.stop() }
            #expect(projects.project(host: "feed.example.com")?.number == Sample.number(1))
            #expect(projects.project(host: "auth.example.com")?.number == Sample.number(1))
            #expect(projects.project(host: "www.example.com") == nil)

            // Taken before it was a rule that no two may have it.
            try await Self.addBank(filler, host: "feed.example.com", document: Self.feed)
            try await projects.refresh(by: .soon)
            #expect(projects.project(host: "feed.example.com")?.number == Sample.number(2))
            #expect(projects.project(host: "auth.example.com")?.number == Sample.number(1))
        }
    }
}
