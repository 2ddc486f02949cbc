extension String {
    /// Byte for byte: to Swift `"é"` equals `"e\u{301}"`, to a protocol it does not.
    ///
    /// Not in constant time.
    package func isSame(as other: String) -> Bool {
        isSame(as: other.utf8Span.span)
    }

    /// As above, with the bytes of another text.
    func isSame(as other: Span<UInt8>) -> Bool {
        guard utf8.count == other.count else { return false }
        let own = utf8Span.span
        for index in 0..<own.count where own[index] != other[index] { return false }
        return true
    }

    /// Nil for bytes that are not UTF-8.
    package init?(utf8 bytes: Span<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        self.init(copying: text)
    }
}

extension [UInt8] {
    /// Whether these are the bytes of `text`; most texts differ in length already.
    package func isSame(as text: String) -> Bool {
        let (bytes, other) = (span, text.utf8Span.span)
        guard bytes.count == other.count else { return false }
        for index in bytes.indices where bytes[index] != other[index] { return false }
        return true
    }
}
