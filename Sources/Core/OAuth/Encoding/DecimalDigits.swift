/// Whole numbers as decimal digits and nothing else: `Int("+5")` would be 5.
package enum DecimalDigits {
    /// As below.
    package static func read(_ text: [UInt8]) -> Int64? { read(text.span) }

    /// As below.
    package static func read(_ text: ArraySlice<UInt8>) -> Int64? { read(text.span) }

    /// The number that `text` writes, with leading zeros or without.
    ///
    /// Nil without any digit, with any other byte, and for more than an `Int64` holds. Who wants
    /// few digits, or no leading zero, looks at that before.
    package static func read(_ text: Span<UInt8>) -> Int64? {
        guard !text.isEmpty else { return nil }
        var value: Int64 = 0
        for index in text.indices {
            guard 0x30...0x39 ~= text[index] else { return nil }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(Int64(text[index] - 0x30))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }
}
