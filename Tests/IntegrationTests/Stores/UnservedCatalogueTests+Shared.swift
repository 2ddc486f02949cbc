import Domain
import Issuing
import Persistence
import Runtime
import TestSupport
import Testing

extension UnservedCatalogueTests {
    @Test("of two projects with one id the later is meant", arguments: [[1, 2], [2, 1]])
    func sameID(_ order: [Int16]) async throws {
        let (one, two, id) = (Sample.number(1), Sample.number(2), Sample.project("one"))
        try await apply("one one.example.com", as: one)
        try await apply("one two.example.com", as: two)
        let catalogue = catalogue
        for number in order { try await catalogue.reload(Sample.number(number), by: .soon) }
        #expect(catalogue.project(id: id)?.number == two)
        #expect(catalogue.number(of: id) == two)
        for project in catalogue.all {
            #expect(try await catalogue.newest(project, by: .soon).number == project.number)
        }
        // Until a failover has lost it.
        let successor = Servers()
        var log = self
        log.servers = successor
        try await log.apply("one one.example.com", as: one)
        servers.fail(over: successor.log)
        catalogue.beginServer()
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.number(of: id) == one && catalogue.project(id: id)?.number == one)
    }

    @Test("one whose origin is refused counts as such, whatever the refusal says")
    func otherOrigin() async throws {
        try await apply("one one.example.com new", as: Sample.number(1))
        try await apply("two two.example.com moved", as: Sample.number(2))
        let catalogue = catalogue
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.unserved.count == 2)
        #expect(catalogue.refused == ["project two: oauth.new: unknown"])
    }

    @Test("a host that two projects have stays with the elder", arguments: [[1, 2], [2, 1]])
    func sharedHost(_ order: [Int16]) async throws {
        let (one, two) = (Sample.number(1), Sample.number(2))
        try await apply("one one.example.com", as: one)
        try await apply("two one.example.com", as: two)
        let catalogue = catalogue
        for number in order { try await catalogue.reload(Sample.number(number), by: .soon) }
        #expect(catalogue.project(host: "one.example.com")?.number == one)
    }

    @Test("a cookie that two projects have is told of, with the domain and both")
    func sharedCookie() async throws {
        try await apply("one one.example.com@example.com", as: Sample.number(1))
        try await apply("two two.example.com@two.example.com", as: Sample.number(2))
        try await apply("three three.example.org@example.org", as: Sample.number(3))
        let said = SaidLog(level: .warning)
        let catalogue = catalogue(saying: said.log)
        try await catalogue.refresh(by: .soon)
        // What is no news is not told again.
        try await catalogue.refresh(by: .soon)
        let lines = said.end().split(separator: "\n")
        #expect(lines.count == 1)
        let line = lines.first ?? ""
        #expect(line.contains(#""level":"warning""#))
        for text in ["two", "one", "app_access_token", "example.com"] {
            #expect(line.contains("\"\(text)\""), "\(text)")
        }
    }
}
