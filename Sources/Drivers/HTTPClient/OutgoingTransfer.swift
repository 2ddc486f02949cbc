internal import CCurl
internal import Runtime

// @unchecked: touched on the loop of its pool alone.
/// One libcurl handle with what must live as long as it: the upload and the list of recipients.
@safe final class OutgoingTransfer: @unchecked Sendable {
    /// How long one reply may take in seconds, also the one to QUIT, which deadlines do not cover.
    static let replySecondsMax = 10

    let easy: UnsafeMutableRawPointer
    private var recipients: UnsafeMutablePointer<curl_slist>?
    private let upload: [UInt8]
    private var position = 0

    /// Nil when libcurl has no memory for a handle.
    init?(uploading upload: [UInt8]) {
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe self.easy = easy
        self.upload = upload
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_SERVER_RESPONSE_TIMEOUT, Self.replySecondsMax)
        set(CURLOPT_FOLLOWLOCATION, 0)
        // No proxy of the environment's choosing.
        set(CURLOPT_PROXY, "")
        unsafe ccurl_set_read(easy, Self.read, context)
        unsafe ccurl_set_write(easy, Self.write)
    }

    /// Sets a number; an option this libcurl lacks is a defect the first test finds.
    func set(_ option: CURLoption, _ value: Int) {
        let code = unsafe ccurl_set_long(easy, option, value)
        assert(code == CURLE_OK, "libcurl refused an option")
    }

    /// Sets a text without NUL; libcurl copies it.
    func set(_ option: CURLoption, _ value: String) {
        let code = unsafe ccurl_set_text(easy, option, value)
        assert(code == CURLE_OK, "libcurl refused an option")
    }

    /// Sends the upload as a mail to `recipient`.
    func setRecipient(_ recipient: String) {
        unsafe recipients = curl_slist_append(nil, recipient)
        unsafe ccurl_set_recipients(easy, recipients)
        unsafe ccurl_set_upload_size(easy, curl_off_t(upload.count))
        set(CURLOPT_UPLOAD, 1)
    }

    /// Ends the transfer at `deadline`, however slowly bytes come.
    func setDeadline(_ deadline: MonotonicInstant) {
        let (seconds, attoseconds) = deadline.since(.now()).components
        let milliseconds =
            Int(clamping: seconds) &* 1000
            &+ Int(attoseconds / 1_000_000_000_000_000)
        // Zero would mean without limit.
        set(CURLOPT_TIMEOUT_MS, max(1, min(milliseconds, 3_600_000)))
    }

    private static let read:
        @convention(c) (
            UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?
        ) -> Int = { buffer, size, count, context in
            guard let buffer = unsafe buffer, let context = unsafe context else { return 0 }
            let transfer = unsafe Unmanaged<OutgoingTransfer>.fromOpaque(context)
                .takeUnretainedValue()
            let taken = min(size * count, transfer.upload.count - transfer.position)
            for index in 0..<taken {
                let byte = transfer.upload[transfer.position + index]
                unsafe buffer[index] = CChar(bitPattern: byte)
            }
            transfer.position += taken
            return taken
        }

    /// Takes what is answered, which nobody reads; without this libcurl writes it to stdout.
    private static let write:
        @convention(c) (
            UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?
        ) -> Int = { _, size, count, _ in size * count }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(recipients)
    }
}
