package import Domain

extension ApproveLoginLink {
    /// What the holder of a link may see before approving (Security I14).
    package struct LinkView: Sendable {
        package var link: StreamID
        package var client: ClientSettings
        package var device: String?
        package var place: String?
        package var requestedAt: Instant
        package var isSameDevice: Bool
        /// Whether this browser waits for another mail, which it has asked for itself.
        package var isOtherMail: Bool
        package var isApproved: Bool
        /// Three two-digit numbers, one of them right; only for `confirm` on another device.
        package var numbers: [Int]
    }

    func view(
        _ link: StreamID,
        _ request: LoginLink.Request,
        isApproved: Bool,
        _ browser: BrowserRequest
    ) async throws(Refusal) -> LinkView {
        guard let client = browser.project.enabledClient(request.client)?.value else {
            throw .dead("client disabled")
        }
        let isSame = isSameDevice(request, browser)
        if !isSame, request.mode == .deny, !isApproved { throw .otherDevice }
        let device = try await text(request.device, "device", of: link, browser)
        let place = try await text(request.place, "place", of: link, browser)
        let asksNumber = !isSame && request.mode == .confirm
        let isOther = isSame || isApproved ? false : try await awaitsOther(browser)
        return LinkView(
            link: link,
            client: client,
            device: device,
            place: place,
            requestedAt: request.requestedAt,
            isSameDevice: isSame,
            isOtherMail: isOther,
            isApproved: isApproved,
            numbers: asksNumber ? numbers(request) : []
        )
    }

    /// Asked of a browser that this link's request is not of.
    func awaitsOther(_ browser: BrowserRequest) async throws(Refusal) -> Bool {
        do { return try await context.awaitsMail(browser) } catch { throw .failed(error) }
    }

    /// What is sealed in a link's request; nil when it is not there, or its key is gone.
    private func text(
        _ sealed: Sealed?,
        _ member: String,
        of link: StreamID,
        _ browser: BrowserRequest
    ) async throws(Refusal) -> String? {
        guard let sealed else { return nil }
        do {
            return try await context.open(
                sealed,
                under: link,
                at: SealedPlace(stream: link, member: member),
                by: browser.deadline
            ).map { String(decoding: $0, as: UTF8.self) }
        } catch { throw .failed(error) }
    }

    /// The right number among two wrong ones: the same three, in the same order, at every look.
    ///
    /// Also behind the link that is sent in this one's place, which keeps the number: else it would
    /// be the one that the pages of both mails show. Of the number too, since a link by the form
    /// has another, and would show it beside the two wrong ones of before.
    private func numbers(_ request: LoginLink.Request) -> [Int] {
        let mac = digest(of: request).bytes
        var numbers = [request.number]
        for byte in mac where numbers.count < 3 {
            let other = Int(byte) % 100
            if !numbers.contains(other) { numbers.append(other) }
        }
        // Where the right one stands must not tell which it is.
        numbers.swapAt(0, Int(mac.last ?? 0) % numbers.count)
        return numbers
    }

    private func digest(of request: LoginLink.Request) -> TokenDigest {
        var preimage = Array("numbers".utf8) + [0]
        request.authorization.append(to: &preimage)
        preimage.append(UInt8(truncatingIfNeeded: request.number))
        // By the one key that no root secret replaces: another three would show which is in both.
        return context.digester.mac(.lookup, preimage)
    }
}
