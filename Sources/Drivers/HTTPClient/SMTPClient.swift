internal import CCurl
package import Runtime

/// Hands mails to one relay (RFC 5321), one recipient each.
package struct SMTPClient: Sendable {
    /// The longest message in bytes.
    package static let messageBytesMax = 256 * 1024
    private static let connectMilliseconds = 5000

    private let settings: SMTPSettings
    private let pool: TransferPool

    /// Sends through `pool`, on its loop.
    package init(_ settings: SMTPSettings, through pool: TransferPool) {
        self.settings = settings
        self.pool = pool
    }

    /// Sends `message`, a complete RFC 5322 text with CRLF line ends.
    ///
    /// - Throws: `.address` before anything is sent; `.transient` also when `deadline` passes and
    ///   when too many transfers run; `.permanent` when the relay refuses this mail for good.
    package func send(
        from sender: [UInt8],
        to recipient: [UInt8],
        message: [UInt8],
        deadline: MonotonicInstant
    ) async throws(SMTPError) {
        guard let sender = Self.address(sender), let recipient = Self.address(recipient) else {
            throw .address
        }
        guard message.count <= Self.messageBytesMax, MonotonicInstant.now() < deadline,
            let transfer = OutgoingTransfer(uploading: message)
        else { throw .transient(code: 0) }
        transfer.set(CURLOPT_URL, settings.url)
        transfer.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        transfer.set(CURLOPT_MAIL_FROM, "<\(sender)>")
        transfer.setRecipient("<\(recipient)>")
        transfer.setDeadline(deadline)
        transfer.set(CURLOPT_CONNECTTIMEOUT_MS, Self.connectMilliseconds)
        protect(transfer)
        guard let outcome = await pool.perform(transfer) else { throw .transient(code: 0) }
        try Self.check(outcome)
    }

    private func protect(_ transfer: OutgoingTransfer) {
        transfer.set(CURLOPT_SSL_VERIFYPEER, 1)
        transfer.set(CURLOPT_SSL_VERIFYHOST, 2)
        transfer.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if settings.protection != .none {
            transfer.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
        }
        if let file = settings.authorities { transfer.set(CURLOPT_CAINFO, file) }
        guard let username = settings.username, let password = settings.password else { return }
        transfer.set(CURLOPT_USERNAME, username)
        password.withBytes { bytes in
            let text = bytes.indices.map { bytes[$0] }
            transfer.set(CURLOPT_PASSWORD, String(decoding: text, as: UTF8.self))
        }
    }

    private static func check(_ outcome: TransferPool.Outcome) throws(SMTPError) {
        guard outcome.code != CURLE_OK else { return }
        // What the relay says of us, in its greeting, of TLS or of the login, is the operator's to
        // mend, not this mail's end.
        let isAfterMail =
            outcome.code == CURLE_SEND_ERROR
            || outcome.code == CURLE_WEIRD_SERVER_REPLY && outcome.sentCount > 0
        let isAboutMail =
            isAfterMail && 500...599 ~= outcome.response
            && !repliesAboutUs.contains(outcome.response)
        if isAboutMail { throw .permanent(code: outcome.response) }
        throw .transient(code: outcome.response)
    }

    /// Not implemented, out of order, and what is said of a login that is missing or too weak
    /// (RFC 5321 section 4.2.3, RFC 4954 section 6).
    private static let repliesAboutUs: Set = [502, 503, 530, 534, 535, 538]

    /// Printable ASCII without what could end the command (RFC 5321 section 4.1.2).
    private static func address(_ bytes: [UInt8]) -> String? {
        guard 3...254 ~= bytes.count,
            bytes.allSatisfy({ 0x21...0x7E ~= $0 && $0 != 0x3C && $0 != 0x3E })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
