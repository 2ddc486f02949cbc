import Domain
import EventFormat
import Testing

/// What the other tests here say of every event is worth as much as the list of them.
@Suite("Histories") struct HistoriesTests {
    static let types = Set((Histories.log.map(\.body) + Histories.others).map(\.storedType))

    // The compiler asks for the stored type of a new event, and this for the event.
    @Test("they have every event of a session") func sessions() {
        let missing = StoredType.allCases.filter {
            ($0.kind == .offlineGrant || $0.kind == .browserSession) && !Self.types.contains($0)
        }
        #expect(missing.isEmpty)
    }

    @Test("they have an event of every aggregate") func aggregates() {
        let kinds = Set(Self.types.map(\.kind))
        let missing = AggregateKind.allCases.filter { !kinds.contains($0) }
        #expect(missing.isEmpty)
    }
}
