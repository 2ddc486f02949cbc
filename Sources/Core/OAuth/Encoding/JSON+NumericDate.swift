extension JSON {
    /// A `NumericDate` within ±2^53, fractions cut off (RFC 7519 section 2).
    ///
    /// Any form that JSON has for a number: Dart writes `1795232554.473`, and what Java makes of
    /// that is `1.795232554473E9` (decision 0171). Negative ones are taken as integers alone.
    package var numericDate: Int64? {
        switch self {
        case .integer(let value): return CanonicalJSON.integers.contains(value) ? value : nil
        case .decimal(let text): return Self.whole(of: text.utf8)
        default: return nil
        }
    }

    /// The whole part of a number as JSON writes it, of at most 15 digits.
    private static func whole(of text: String.UTF8View) -> Int64? {
        let mantissa = text.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
        let digits = mantissa.filter { $0 != UInt8(ascii: ".") }
        guard digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        // How many digits stand before the point.
        var point = mantissa.prefix { $0 != UInt8(ascii: ".") }.count
        let exponent = text.dropFirst(mantissa.count + 1)
        if !exponent.isEmpty {
            guard let shift = Int(Substring(exponent)), -99...99 ~= shift else { return nil }
            point += shift
        }
        guard point <= 15 else { return nil }
        return (0..<max(0, point)).reduce(0) { value, place in
            value * 10 + Int64(place < digits.count ? digits[place] - 0x30 : 0)
        }
    }
}
