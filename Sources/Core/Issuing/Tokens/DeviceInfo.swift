internal import OAuth

/// What an app says of its phone at any grant (wire.md section 5.1): base64url of a JSON object.
enum DeviceInfo {
    static let parameter = "x_device_info"
    private static let bytesMax = 8 * 1024

    /// Nothing of it is kept yet; a malformed one is refused all the same.
    ///
    /// - Throws: `invalid_request`.
    static func check(_ request: TokenRequest) throws(OAuthError) {
        guard let text = try request.optional(parameter) else { return }
        guard text.count <= bytesMax, let bytes = Base64URL.decode(text),
            let value = try? JSONReader.read(bytes), value.members != nil
        else { throw OAuthError(.invalidRequest, "x_device_info is malformed") }
    }
}
