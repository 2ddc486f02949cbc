import Domain
import EventFormat
import OAuth
import TestSupport
import Testing

@Suite("Golden files") struct GoldenTests {
    @Test("there is a sample of every stored type") func samples() {
        #expect(StoredSamples.all.map(\.storedType) == StoredType.allCases)
    }

    @Test("today's writer writes what it always wrote", arguments: StoredSamples.all)
    func writes(_ event: DomainEvent) throws {
        let name = GoldenFile.name(of: event.storedType)
        let content = try GoldenFile.content(
            of: StoredSamples.row(event),
            name: event.storedType.name
        )
        if GoldenFile.read(name) == nil, GoldenFile.writesMissing {
            try GoldenFile.write(name, content)
        }
        let golden = try #require(GoldenFile.read(name), "no Golden/\(name).json; GOLDEN=new")
        #expect(
            String(decoding: content, as: UTF8.self) == String(decoding: golden, as: UTF8.self)
        )
    }

    @Test("today's reader reads every event ever written", arguments: GoldenFile.names)
    func reads(_ name: String) throws {
        let file = try JSONReader.read(try #require(GoldenFile.read(name)))
        let number = try #require(file["type"]?.integer.flatMap(Int16.init(exactly:)))
        let stored = try #require(file["payload"])
        let payload = try #require(CanonicalJSON.write(stored))
        let event = try EventFormat.decode(
            type: number,
            payload: payload,
            columns: StoredSamples.columns
        )
        let type = try #require(StoredType(rawValue: number))
        #expect(type.name == GoldenFile.storedName(name))
        #expect(event.storedType == type)
        // What was written before a version got a member lacks it, and is read all the same.
        let isNewest = name == GoldenFile.name(of: type)
        #expect((event == StoredSamples.all.first { $0.storedType == type }) == isNewest)
        #expect(EventFormat.encode(event).payload == payload)
    }

    @Test("numbers and names are told apart") func distinct() {
        #expect(Set(StoredType.allCases.map(\.name)).count == StoredType.allCases.count)
        for type in StoredType.allCases {
            #expect(type.name.hasPrefix("\(type.kind.rawValue)."))
            #expect(type.name.hasSuffix(".v1"))
        }
    }
}
