extension String {
    /// Byte for byte: to Swift `"é"` equals `"e\u{301}"`, to a protocol it does not.
    ///
    /// Not in constant time.
    package func isSame(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let (left, right) = (utf8Span.span, other.utf8Span.span)
        for index in 0..<left.count where left[index] != right[index] { return false }
        return true
    }

    /// Nil for bytes that are not UTF-8.
    package init?(utf8 bytes: Span<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        self.init(copying: text)
    }
}
