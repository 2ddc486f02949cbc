import OAuth

extension Target {
    /// One text for each value, one value for each text.
    static let base64URL = Target("base64url") { bytes in
        let text = Base64URL.encode(bytes)
        precondition(Base64URL.decode(text) == bytes, "not read back")
        guard let value = Base64URL.decode(bytes) else { return false }
        precondition(Base64URL.encode(value) == bytes, "two texts of one value")
        return true
    }
}
