internal import OAuth

/// The SHA-256 of nothing, which `sha256sum` says of a secret that was not there.
enum EmptyDigest {
    private static let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    /// What is wrong with it where a digest of a secret belongs.
    static let problem = "is the digest of an empty text: what was digested was not there"

    static func equals(_ digest: [UInt8]) -> Bool {
        Hexadecimal.decode(Array(text.utf8)) == digest
    }
}
