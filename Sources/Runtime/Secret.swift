internal import CLinux

// @unchecked: the bytes are written in `init` and wiped in `deinit`, and only read between.
/// Bytes nobody may print, log or compare by chance; wiped when the last reference goes.
///
/// It has no text form, no `Codable` and no `==`; `Crypto.equal` compares in constant time.
/// At most 1 MiB (Security 6).
@safe
package final class Secret: @unchecked Sendable, CustomStringConvertible,
    CustomReflectable
{
    private let storage: UnsafeBufferPointer<UInt8>

    /// Copies `bytes`; what the caller still holds is the caller's to wipe.
    package init(copying bytes: Span<UInt8>) {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        for index in bytes.indices { unsafe copy.initializeElement(at: index, to: bytes[index]) }
        unsafe storage = UnsafeBufferPointer(copy)
    }

    /// Copies `bytes`; what the caller still holds is the caller's to wipe.
    package convenience init(_ bytes: [UInt8]) { self.init(copying: bytes.span) }

    /// Takes the content of `bytes` over: it is zeroed in place.
    ///
    /// Copies that were made of the array before are not reached.
    package convenience init(wiping bytes: inout [UInt8]) {
        self.init(copying: bytes.span)
        Self.wipe(&bytes)
    }

    /// Zeroes the content of `bytes` in place, and empties it.
    static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { unsafe explicit_bzero(start, buffer.count) }
        }
        bytes.removeAll()
    }

    /// The number of bytes.
    package var count: Int { unsafe storage.count }

    /// The same without one newline at the end, which an editor leaves behind a password.
    package var withoutLastNewline: Secret {
        withBytes { span in
            guard let last = span.indices.last, span[last] == UInt8(ascii: "\n") else {
                return self
            }
            return Secret(copying: span.extracting(..<last))
        }
    }

    /// Always the same word: without it, `print` would show the fields.
    package var description: String { "‹secret›" }

    /// Shows no children, for the same reason.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Lends the bytes to `body`; they must not be kept.
    package func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe storage.span)
    }

    deinit {
        let memory = unsafe UnsafeMutableBufferPointer(mutating: storage)
        // A plain loop would be removed as a dead store.
        if let start = memory.baseAddress { unsafe explicit_bzero(start, memory.count) }
        unsafe memory.deallocate()
    }
}
