/// Thirty-two bytes on the stack, read as four big-endian words.
enum DigestWords {
    /// What `body` writes into a buffer of exactly 32 bytes.
    static func filled(
        _ body: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) -> (UInt64, UInt64, UInt64, UInt64) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        unsafe withUnsafeMutableBytes(of: &words) { raw in
            unsafe raw.withMemoryRebound(to: UInt8.self) { unsafe body($0) }
        }
        return (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
    }
}
