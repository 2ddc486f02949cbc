import Glibc

extension FileWriting {
    /// Puts `bytes` at `path` unless there is a file; answers whether it was this call's.
    ///
    /// Of two processes that try at once, one wins, and both then read the winner's bytes whole.
    /// - Throws: the failed call; then no file was made.
    package static func create(_ path: String, with bytes: [UInt8]) throws(SystemError) -> Bool {
        // Drawn, not the process id: in containers that share a directory everyone is number 1.
        let draft = "\(path).mine-\(UInt64.random(in: 0 ... .max))"
        try replace(draft, with: bytes)
        defer { unsafe unlink(draft) }
        // Unlike rename, link does not replace what is there.
        if unsafe link(draft, path) == 0 { return true }
        guard errno == EEXIST else { throw .last("link") }
        return false
    }
}
