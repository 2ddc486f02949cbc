internal import COpenSSL
internal import Runtime

// @unchecked: touched on the connection's loop alone.
/// The TLS state of one connection, on its non-blocking socket.
@safe final class TLSSession: @unchecked Sendable {
    /// Reads of the socket in one call, of which a record takes two and a handshake six or ten.
    ///
    /// What is left is told again in the next turn.
    private static let readsMax: UInt32 = 32

    private var session: OpaquePointer?
    private(set) var wantsWrite = false
    /// Whether what was to be written waits until TLS has read: a client has begun to renew its key
    /// and not ended, and a socket that takes bytes does not help.
    private(set) var writeWantsRead = false

    /// Takes `session` over.
    init(_ session: OpaquePointer) { unsafe self.session = session }

    deinit { close() }

    /// The SHA-256 of the certificate that the client proved to have, in DER; nil without one.
    ///
    /// Only what the listener's authorities vouch for passes the handshake. Asked for once that is
    /// over, and worked out once: it is the same for all requests.
    private(set) lazy var certificateDigest: [UInt8]? = findCertificateDigest()

    private func findCertificateDigest() -> [UInt8]? {
        guard let session = unsafe session,
            let certificate = unsafe SSL_get1_peer_certificate(session)
        else { return nil }
        defer { unsafe X509_free(certificate) }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard unsafe X509_digest(certificate, EVP_sha256(), &digest, &count) == 1 else {
            return nil
        }
        return Array(digest.prefix(Int(count)))
    }

    /// Goes on with the handshake; `moved` when it is complete.
    func handshake() -> Transfer {
        guard let session = unsafe session else { return .ended }
        unsafe prepare(session)
        let result = unsafe SSL_do_handshake(session)
        return unsafe outcome(result, session)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        guard let session = unsafe session else { return .ended }
        unsafe prepare(session)
        let result = unsafe SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count))
        return unsafe outcome(result, session)
    }

    func write(_ head: [UInt8], _ body: [UInt8], from start: Int) -> Transfer {
        guard let session = unsafe session else { return .ended }
        let isHead = start < head.count
        // One record for the usual answer: two would be two packets.
        let part =
            isHead && !body.isEmpty && body.count <= 8_192 ? head + body : isHead ? head : body
        let offset = isHead ? start : start - head.count
        unsafe prepare(session)
        let result = unsafe part.withUnsafeBytes { raw in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: raw[offset...])
            return unsafe SSL_write(session, rest.baseAddress, Int32(clamping: rest.count))
        }
        let transfer = unsafe outcome(result, session)
        writeWantsRead = transfer == .wouldBlock && !wantsWrite
        return transfer
    }

    /// Says goodbye if the socket takes it, then frees the state.
    func close() {
        guard let session = unsafe session else { return }
        unsafe self.session = nil
        ERR_clear_error()
        if unsafe SSL_is_init_finished(session) == 1 { _ = unsafe SSL_shutdown(session) }
        ERR_clear_error()
        unsafe SSL_free(session)
    }

    private func prepare(_ session: OpaquePointer) {
        ERR_clear_error()
        unsafe copenssl_allow_reads(session, Self.readsMax)
    }

    private func outcome(_ result: Int32, _ session: OpaquePointer) -> Transfer {
        wantsWrite = false
        if result > 0 { return .moved(Int(result)) }
        switch unsafe SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ: return .wouldBlock
        case SSL_ERROR_WANT_WRITE:
            wantsWrite = true
            return .wouldBlock
        case SSL_ERROR_ZERO_RETURN: return .ended
        default:
            // After a fatal error SSL_shutdown must not be called.
            unsafe SSL_set_quiet_shutdown(session, 1)
            return .failed(SystemError(call: "tls", number: 0))
        }
    }
}
