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

    static let damaged = Generator<[UInt8]> { choices in
        var bytes = CanonicalJSON.write(choices.object(depth: 1)) ?? []
        for _ in 0...choices.draw(below: 2) where !bytes.isEmpty {
            let index = Int(choices.draw(below: UInt64(bytes.count)))
            let byte = UInt8(choices.draw(below: 256))
            switch choices.draw(below: 3) {
            case 0: bytes[index] = byte
            case 1: bytes.insert(byte, at: index)
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }

    @Test("has one form: what is read is what would be written") func oneForm() throws {
        forAll(Self.damaged, runs: 2000) { bytes in
            guard let read = try? CanonicalJSON.read(bytes) else { return }
            #expect(CanonicalJSON.write(read) == bytes)
        }
    }

    @Test("left standing has the members it has as a tree") func standing() throws {
        try forAll(Self.objects, runs: 1000) { object in
            let bytes = try #require(CanonicalJSON.write(object))
            let members = try #require(CanonicalJSON.read(bytes).members)
            let standing = try CanonicalObject(bytes)
            #expect(standing.members.map { standing.json(of: $0) } == members.map(\.value))
            for member in members {
                let found = try #require(standing.member(member.name))
                #expect(standing.text(of: found) == member.value.string)
                #expect(standing.integer(of: found) == member.value.integer)
                #expect(standing.bool(of: found) == member.value.bool)
                #expect(standing.texts(of: found) == member.value.strings)
            }
            #expect(standing.member("absent") == nil)
        }
    }

    @Test("left standing is refused for the same reason") func standingRefused() throws {
        forAll(Self.damaged, runs: 4000) { bytes in
            let standing = Self.error { _ = try CanonicalObject(bytes) }
            #expect(standing == Self.error { _ = try CanonicalJSON.read(bytes) })
        }
    }

    private static func error(_ body: () throws -> Void) -> JSONError? {
        do { try body() } catch { return error as? JSONError }
        return nil
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
