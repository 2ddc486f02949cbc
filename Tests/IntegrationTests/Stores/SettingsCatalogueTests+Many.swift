import Domain
import Issuing
import Persistence
import TestSupport
import Testing

extension SettingsCatalogueTests {
    @Test("are all there, however many questions their documents take")
    func many() async throws {
        try await StoreHarness.with { database, _ in
            let filler = LogFiller(database: database)
            let numbers = (2...70).map { Int16($0) }
            for number in numbers {
                try await Self.addBank(
                    filler,
                    id: "bank-\(number)",
                    host: "bank-\(number).example.com",
                    number: number
                )
            }
            let (own, projects) = try await Self.catalogue(of: database)
            defer { own.stop() }
            #expect(projects.all.map(\.number) == numbers.map { Sample.number($0) })
            for number in numbers {
                let found = projects.project(host: "bank-\(number).example.com")
                #expect(found?.settings.id == Sample.project("bank-\(number)"))
            }
        }
    }
}
