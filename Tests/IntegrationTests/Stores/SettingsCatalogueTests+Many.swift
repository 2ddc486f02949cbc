import Configuration
import Dispatch
import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

extension SettingsCatalogueTests {
    @Test("are all there, however many questions their documents take: 32 in one at most")
    func many() async throws {
        let other = try Loop.running()
        defer { other.end() }
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
            // While the first answer is read, the log loses what a longer one would have had.
            let late = numbers[32]
            let documents = InterruptedDocuments {
                let isLost = DispatchSemaphore(value: 0)
                other.spawn {
                    try? await Self.lose(Self.stream(of: late), of: database, on: other)
                    isLost.signal()
                }
                isLost.wait()
            }
            let (own, projects) = try await Self.catalogue(of: database, documents)
            defer { own.stop() }
            let expected = numbers.filter { $0 != late }
            #expect(projects.all.map(\.number) == expected.map { Sample.number($0) })
            for number in expected {
                let found = projects.project(host: "bank-\(number).example.com")
                #expect(found?.settings.id == Sample.project("bank-\(number)"))
            }
        }
    }

    private static func lose(_ stream: StreamID, of database: TestDatabase, on loop: Loop)
        async throws
    {
        let superuser = try await Connection.connect(
            database.settings(),
            on: loop,
            deadline: .soon
        )
        defer { superuser.close() }
        try await LostHistoryTests.lose(stream, version: 1, on: superuser)
    }
}

/// Before it reads its first document something happens.
private final class InterruptedDocuments: ProjectDocuments {
    private let own = ProjectDocument()
    private let interruption: @Sendable () -> Void
    private let isOver = Guarded(false)

    init(_ interruption: @escaping @Sendable () -> Void) { self.interruption = interruption }

    func read(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings {
        if !isOver.replace(with: true) { interruption() }
        return try own.readInForce(document)
    }

    func cautions(in document: [UInt8]) -> [String] { [] }
    func clients(in document: [UInt8]) -> [ClientID] { own.clients(in: document) }
    func hosts(in document: [UInt8]) -> [String] { own.hosts(in: document) }
    func changedPaths(from old: [UInt8]?, to new: [UInt8]) -> [String] { [] }
}
