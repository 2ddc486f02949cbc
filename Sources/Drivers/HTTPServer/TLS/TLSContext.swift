internal import COpenSSL
internal import Runtime

// @unchecked: OpenSSL counts references to the context atomically; it is not changed after `init`.
/// A certificate, its key and our terms: TLS 1.2 and 1.3, forward secrecy, ALPN `http/1.1`.
@safe final class TLSContext: @unchecked Sendable {
    static let fileBytesMax = 1_048_576

    private let context: OpaquePointer

    /// Reads the files and checks that key and certificate belong together.
    ///
    /// - Throws: `.tls`, naming the file.
    init(_ settings: TLSSettings) throws(ServerError) {
        let key: Secret
        do throws(FileReading.Failure) {
            key = try FileReading.secret(at: settings.keyFile, bytesMax: Self.fileBytesMax)
        } catch {
            throw .tls(file: settings.keyFile, reason: "\(error)")
        }
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw .tls(file: settings.certificateFile, reason: "no TLS context")
        }
        do throws(ServerError) {
            unsafe try Self.harden(context)
            unsafe try Self.load(settings, key, into: context)
        } catch {
            unsafe SSL_CTX_free(context)
            throw error
        }
        unsafe self.context = context
    }

    deinit { unsafe SSL_CTX_free(context) }

    /// Seconds since 1970 from which on nobody accepts the certificate; nil: it does not say.
    var endsAt: Int64? {
        let end = unsafe copenssl_certificate_end(SSL_CTX_get0_certificate(context))
        return end < 0 ? nil : end
    }

    /// The server side of a connection on `descriptor`; nil when memory is short.
    func session(on descriptor: Int32) -> TLSSession? {
        guard let session = unsafe SSL_new(context) else { return nil }
        guard unsafe SSL_set_fd(session, descriptor) == 1 else {
            unsafe SSL_free(session)
            return nil
        }
        unsafe SSL_set_accept_state(session)
        unsafe copenssl_bound_reads(session)
        return unsafe TLSSession(session)
    }

    private static func harden(_ context: OpaquePointer) throws(ServerError) {
        // The strings are Security 7.2: ECDHE with AES-GCM or ChaCha20.
        let suites = "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!PSK"
        guard unsafe copenssl_set_min_tls_1_2(context) == 1,
            unsafe SSL_CTX_set_cipher_list(context, suites) == 1
        else { throw .tls(file: "", reason: "OpenSSL knows none of our ciphers") }
        unsafe copenssl_server_options(context)
        unsafe copenssl_select_http_1_1(context)
    }

    private static func load(
        _ settings: TLSSettings,
        _ key: Secret,
        into context: OpaquePointer
    ) throws(ServerError) {
        let certificates = settings.certificateFile
        guard unsafe SSL_CTX_use_certificate_chain_file(context, certificates) == 1 else {
            throw failure(certificates)
        }
        // The bytes whose owner, mode and path were looked at: the file may be another by now.
        let isTaken = key.withBytes { unsafe take($0, into: context) }
        guard isTaken, unsafe SSL_CTX_check_private_key(context) == 1 else {
            throw failure(settings.keyFile)
        }
        guard let authorities = settings.clientAuthoritiesFile else { return }
        guard unsafe SSL_CTX_load_verify_file(context, authorities) == 1 else {
            throw failure(authorities)
        }
        let mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
        unsafe SSL_CTX_set_verify(context, mode, nil)
    }

    private static func take(_ key: Span<UInt8>, into context: OpaquePointer) -> Bool {
        unsafe key.withUnsafeBufferPointer { key in
            let count = Int32(key.count)
            return unsafe copenssl_use_private_key(context, key.baseAddress, count) == 1
        }
    }

    private static func failure(_ file: String) -> ServerError {
        let reason = unsafe ERR_reason_error_string(ERR_get_error())
        ERR_clear_error()
        return .tls(file: file, reason: unsafe reason.map { unsafe String(cString: $0) } ?? "?")
    }
}
