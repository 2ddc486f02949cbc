import Runtime
import Testing

@Suite("A program's build id") struct BuildIDTests {
    /// A note as a linker writes it: sizes, type, name and content, each at its place.
    private static func note(_ name: String, _ type: UInt8, _ content: [UInt8], at step: Int = 4)
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        for number in [UInt8(name.utf8.count), UInt8(content.count), type] {
            bytes += [number, 0, 0, 0]
        }
        for part in [Array(name.utf8), content] {
            bytes += part
            bytes += [UInt8](repeating: 0, count: (step - bytes.count % step) % step)
        }
        return bytes
    }

    private static let id = [UInt8](1...20)
    private static let own = note("GNU\0", 3, id)
    private static let abi = note("GNU\0", 1, [0, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0])
    private static let endless: [UInt8] = {
        var bytes = own
        for index in 4..<8 { bytes[index] = 0xFF }
        return bytes
    }()

    static let rows: [(what: String, notes: [UInt8], step: Int, isFound: Bool)] = [
        ("alone", own, 4, true), ("behind another note", abi + own, 4, true),
        ("behind one with an odd name", note("Linux\0", 3, [1, 2, 3]) + own, 4, true),
        ("at multiples of eight", note("GNU\0", 5, [1], at: 8) + own, 8, true),
        ("without an alignment", own, 0, true), ("nothing", [], 4, false),
        ("of somebody else", note("GOO\0", 3, id), 4, false), ("of another type", abi, 4, false),
        ("cut off", Array(own.dropLast()), 4, false),
        ("half a header", Array(own.prefix(11)), 4, false),
        ("with a size past the end", endless, 4, false),
    ]

    @Test("is read from the notes of its file, and from nothing else", arguments: rows)
    func find(_ row: (what: String, notes: [UInt8], step: Int, isFound: Bool)) {
        let found = BuildID.find(in: row.notes, alignment: row.step)
        #expect(found == (row.isFound ? Self.id : nil), "\(row.what)")
    }

    @Test("is said by its first twelve digits, or not at all") func short() {
        guard let short = BuildID.short else { return }
        #expect(short.utf8.count == 12)
        #expect(short.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }, "\(short)")
    }
}
