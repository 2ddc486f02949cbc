internal import COpenSSL
import Foundation
import Runtime

// @unchecked: touched by its test alone, one call after the other.
/// A client that chooses what each record of TLS 1.3 holds, which no program lets one do.
@safe final class TLSClient: @unchecked Sendable {
    private let socket: TestClient
    private let context: OpaquePointer
    private let session: OpaquePointer
    /// What OpenSSL says of the keys, a line each.
    private let keyLog = Guarded<[String]>([])
    private var recordKey: TLSRecordKey?

    /// Connects; it believes every certificate.
    ///
    /// With `isOld` it speaks TLS 1.2 at most.
    init(_ address: SocketAddress, isOld: Bool = false) throws {
        signal(SIGPIPE, SIG_IGN)  // OpenSSL writes without MSG_NOSIGNAL.
        socket = try TestClient(address)
        guard let context = unsafe SSL_CTX_new(TLS_client_method()),
            let session = unsafe SSL_new(context)
        else { throw SystemError(call: "SSL_new", number: 0) }
        unsafe SSL_set_fd(session, socket.descriptor)
        unsafe SSL_set_connect_state(session)
        if isOld {
            unsafe SSL_ctrl(session, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        }
        unsafe (self.context, self.session) = (context, session)
        unsafe SSL_CTX_set_ciphersuites(context, TLSRecordKey.suite)
        unsafe SSL_set_ex_data(session, 0, Unmanaged.passUnretained(keyLog).toOpaque())
        unsafe SSL_CTX_set_keylog_callback(context) { session, line in
            guard let kept = unsafe SSL_get_ex_data(session, 0), let line = unsafe line else {
                return
            }
            let keyLog = unsafe Unmanaged<Guarded<[String]>>.fromOpaque(kept).takeUnretainedValue()
            let text = unsafe String(cString: line)
            keyLog.withLock { $0.append(text) }
        }
    }

    deinit {
        unsafe SSL_free(session)
        unsafe SSL_CTX_free(context)
    }

    /// Completes the handshake; false when the server does not.
    func handshake() async -> Bool {
        await settle { unsafe SSL_do_handshake(session) } == 1
    }

    /// Sends `bytes` as one record; false when the server has closed.
    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool {
        await settle { unsafe SSL_write(session, bytes, Int32(bytes.count)) } > 0
    }

    /// Sends records, each of its kind and holding just these bytes; after the handshake, and from
    /// then on all that is sent.
    func send(records: [(kind: TLSRecordKey.Kind, bytes: [UInt8])]) throws {
        if recordKey == nil {
            let lines = keyLog.current
            recordKey = lines.lazy.compactMap { TLSRecordKey(keyLogLine: $0) }.first
        }
        guard var key = recordKey else { throw SystemError(call: "keylog", number: 0) }
        for record in records { socket.send(key.seal(record.bytes, as: record.kind)) }
        recordKey = key
    }

    /// Takes a new key for what follows, and says so in a record (RFC 8446 §4.6.3); false when the
    /// server has closed.
    @discardableResult
    func renewKey() async -> Bool {
        unsafe SSL_key_update(session, SSL_KEY_UPDATE_NOT_REQUESTED)
        return await handshake()
    }

    /// Asks for a second handshake inside the first one's session (RFC 5246 §7.4.1); false when the
    /// server does not give it.
    func renegotiates() async -> Bool {
        guard unsafe SSL_renegotiate(session) == 1 else { return false }
        return await handshake()
    }

    /// Sends no more: with a word of TLS, or by the end of file alone.
    func finishWriting(saying isSaid: Bool) {
        if isSaid { unsafe SSL_shutdown(session) }
        socket.finishWriting()
    }

    /// Whether the server gave anything by which it would know this client again.
    var canResume: Bool {
        guard let known = unsafe SSL_get_session(session) else { return false }
        var length: UInt32 = 0
        _ = unsafe SSL_SESSION_get_id(known, &length)
        return unsafe length > 0 || SSL_SESSION_has_ticket(known) == 1
    }

    /// Whether an answer begins like this, once it comes.
    func hears(_ beginning: String) async -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = await settle { unsafe SSL_read(session, &bytes, Int32(bytes.count)) }
        return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
            .hasPrefix(beginning)
    }

    /// Tries again, for at most 20 s, while the socket is not ready.
    private func settle(_ step: () -> Int32) async -> Int32 {
        let end = MonotonicInstant.now().advanced(by: .seconds(20))
        while true {
            ERR_clear_error()
            let result = step()
            guard result <= 0, MonotonicInstant.now() < end else { return result }
            switch unsafe SSL_get_error(session, result) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
                try? await Task.sleep(for: .milliseconds(1))
            default: return result
            }
        }
    }
}
