internal import COpenSSL

/// Why a primitive gave no result.
package enum CryptoError: Error, Hashable {
    /// The bytes are no key of that kind: wrong structure, length, curve or trailing bytes.
    case malformedKey
    /// A key outside what Security 3 accepts: RSA size or exponent, point off the curve.
    case unacceptableKey
    /// The algorithm and the kind of key do not belong together.
    case wrongAlgorithm
    /// The ciphertext, its additional data or the key is not the one that was sealed.
    case notAuthentic
    /// A length is out of range: nonce, salt, output or ciphertext.
    case wrongLength
    /// OpenSSL refused; `code` is its packed error number, for the log.
    case library(code: UInt)

    /// Takes the newest error of the calling thread and empties its queue.
    ///
    /// The queue must not keep it: `SSL_get_error` would blame the next TLS connection.
    static func fromLibrary() -> CryptoError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        return .library(code: code)
    }
}
