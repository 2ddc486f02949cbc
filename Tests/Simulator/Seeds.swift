/// The seeds a command line names.
struct Seeds {
    let list: [UInt64]

    init(_ arguments: [String]) {
        list = arguments.flatMap { text -> [UInt64] in
            let parts = text.split(separator: "-")
            guard parts.count == 2, let first = UInt64(parts[0]), let last = UInt64(parts[1]) else {
                return Self.number(text).map { [$0] } ?? []
            }
            return Array(first...max(first, last))
        }
    }

    private static func number(_ text: String) -> UInt64? {
        text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }
}
