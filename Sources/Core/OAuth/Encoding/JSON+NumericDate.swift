extension JSON {
    /// A `NumericDate` within ±2^53, fractions cut off (RFC 7519 section 2).
    package var numericDate: Int64? {
        switch self {
        case .integer(let value): return CanonicalJSON.integers.contains(value) ? value : nil
        case .decimal(let text):
            let whole = text.utf8.prefix { $0 != UInt8(ascii: ".") }
            let fraction = text.utf8.dropFirst(whole.count + 1)
            guard 1...15 ~= whole.count, whole.allSatisfy({ 0x30...0x39 ~= $0 }),
                fraction.allSatisfy({ 0x30...0x39 ~= $0 })
            else { return nil }
            return whole.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        default: return nil
        }
    }
}
