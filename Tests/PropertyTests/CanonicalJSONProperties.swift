import OAuth
import TestSupport
import Testing

@Suite("Canonical JSON") struct CanonicalJSONProperties {
    static let objects = Generator<JSON> { $0.object(depth: 1) }

    @Test("is read as it was written") func roundTrip() throws {
        try forAll(Self.objects, runs: 1000) { object in
            let bytes = try #require(CanonicalJSON.write(object))
            let read = try CanonicalJSON.read(bytes)
            #expect(CanonicalJSON.write(read) == bytes)
            #expect(try JSONReader.read(bytes) == read)
        }
    }

    @Test("does not depend on the order of members") func order() throws {
        try forAll(Self.objects) { object in
            let members = try #require(object.members)
            let reversed = JSON.object(members.reversed())
            #expect(CanonicalJSON.write(reversed) == CanonicalJSON.write(object))
        }
    }

    @Test("has one form: what is read is what would be written") func oneForm() throws {
        let damaged = Generator<[UInt8]> { choices in
            var bytes = CanonicalJSON.write(choices.object(depth: 1)) ?? []
            for _ in 0...choices.draw(below: 2) where !bytes.isEmpty {
                let index = Int(choices.draw(below: UInt64(bytes.count)))
                let byte = UInt8(choices.draw(below: 256))
                if choices.bool() { bytes[index] = byte } else { bytes.insert(byte, at: index) }
            }
            return bytes
        }
        forAll(damaged, runs: 2000) { bytes in
            guard let read = try? CanonicalJSON.read(bytes) else { return }
            #expect(CanonicalJSON.write(read) == bytes)
        }
    }
}

extension Choices {
    mutating func object(depth: Int) -> JSON {
        let names = ["a", "b", "a_b", "z9", "0"].filter { _ in bool() }
        return .object(names.map { JSON.Member($0, value(depth: depth)) })
    }

    private mutating func value(depth: Int) -> JSON {
        switch draw(below: depth < 4 ? 5 : 3) {
        case 0: .integer(one(of: [0, 1, -1, 9_007_199_254_740_991, -9_007_199_254_740_991]))
        case 1: .bool(bool())
        case 2: .string(text())
        case 3: .array((0..<draw(below: 4)).map { _ in value(depth: depth + 1) })
        default: object(depth: depth + 1)
        }
    }
}
