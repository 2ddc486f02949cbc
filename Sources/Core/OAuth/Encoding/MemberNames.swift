/// Finds a repeated member name without comparing each with each in a large object.
struct MemberNames {
    private static let comparedMax = 16
    private var seen: Set<[UInt8]> = []
    /// A bit for each kind of name so far: one of a new kind needs no comparison.
    private var kinds: UInt64 = 0

    /// False when one of `members` already has this name.
    mutating func add(_ name: String, to members: [JSON.Member]) -> Bool {
        if members.count < Self.comparedMax {
            let kind = Self.kind(of: name)
            defer { kinds |= kind }
            guard kinds & kind != 0 else { return true }
            let span = members.span
            for index in span.indices where span[index].name.isSame(as: name) { return false }
            return true
        }
        if seen.isEmpty { seen = Set(members.map { Array($0.name.utf8) }) }
        return seen.insert(Array(name.utf8)).inserted
    }

    /// By length and by the first and the last byte, which tell most names of one object apart.
    private static func kind(of name: String) -> UInt64 {
        let bytes = name.utf8Span.span
        guard let last = bytes.indices.last else { return 1 }
        let mixed = Int(bytes[0]) &* 7 &+ Int(bytes[last]) &* 3 &+ bytes.count
        return 1 << UInt64(mixed & 63)
    }
}
