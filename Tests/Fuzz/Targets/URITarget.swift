import OAuth

extension Target {
    /// What is taken as a URI is printable, without fragment, and short.
    static let uri = Target("uri") { bytes in
        guard let uri = try? AbsoluteURI(bytes) else { return false }
        precondition(bytes.count <= AbsoluteURI.bytesMax, "a URI beyond its bound")
        precondition(bytes.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x23 }, "a byte no URI has")
        precondition(bytes.starts(with: Array("\(uri.scheme):".utf8)), "another scheme")
        let tail = uri.path + (uri.query.map { "?\($0)" } ?? "")
        precondition(bytes.suffix(tail.utf8.count).elementsEqual(tail.utf8), "another path")
        return uri.origin != nil
    }
}
