internal import Domain
package import HTTPServer
package import Issuing
internal import Runtime

/// Makes a request of what the driver read: who sent it, under which id, until when.
package struct Intake: Sendable {
    private let proxies: TrustedProxies
    private let entropy: any Entropy
    /// The header, in lower case, in which trusted proxies name the caller's place.
    private let placeHeader: String?

    package init(proxies: TrustedProxies, entropy: any Entropy, placeHeader: String? = nil) {
        self.proxies = proxies
        self.entropy = entropy
        self.placeHeader = placeHeader
    }

    /// What is known of a request before it is one.
    struct Origin {
        let id: RequestID
        /// Whether the caller's connection was over TLS, to us or to a trusted proxy.
        let isSecure: Bool
    }

    /// What a request is, once who sent it is known.
    package func request(_ raw: HTTPServer::Request) -> Request {
        request(
            raw.head,
            raw.body,
            from: Peer(
                raw.remote,
                isTLS: raw.isTLS,
                certificateDigest: raw.certificateDigest
            ),
            by: raw.deadline
        )
    }

    /// One that is refused before it is whole, for what is kept of it.
    func refused(_ head: RequestHead, from peer: Peer) -> Request {
        request(head, [], from: peer, by: .now())
    }

    private func request(
        _ head: RequestHead,
        _ body: [UInt8],
        from peer: Peer,
        by deadline: MonotonicInstant
    ) -> Request {
        let isTrusted = proxies.trusts(peer.remote)
        let fields = head.fields
        let trace = isTrusted ? sentTrace(fields) : nil
        return Request(
            method: head.method,
            path: head.path,
            query: head.query ?? [],
            host: head.host,
            headers: RequestHeaders(fields),
            body: body,
            client: isTrusted
                ? proxies.client(of: peer.remote, forwardedFor: fields.all("x-forwarded-for"))
                : ClientAddress(peer.remote),
            isSecure: peer.isTLS || isTrusted && Self.saysHTTPS(fields),
            certificateDigest: peer.certificateDigest,
            place: isTrusted ? place(fields) : nil,
            id: trace?.id ?? newID(),
            traceparent: trace?.text,
            deadline: Deadline(nanoseconds: deadline.nanoseconds)
        )
    }

    /// Drawn.
    func newID() -> RequestID {
        let bytes = entropy.bytes(16)
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for byte in bytes {
            words.high = words.high << 8 | words.low >> 56
            words.low = words.low << 8 | UInt64(byte)
        }
        return RequestID(StreamID(high: words.high, low: words.low))
    }

    /// As above, for a request that is refused before it is whole; without a head only its peer
    /// counts.
    func origin(of peer: Peer, _ head: RequestHead?) -> Origin {
        guard let head, proxies.trusts(peer.remote) else {
            return Origin(id: newID(), isSecure: peer.isTLS)
        }
        let isSecure = peer.isTLS || Self.saysHTTPS(head.fields)
        return Origin(id: sentTrace(head.fields)?.id ?? newID(), isSecure: isSecure)
    }

    /// The trace that a trusted proxy sent; nil when it sent none, or nothing like one.
    private func sentTrace(_ fields: Fields) -> (id: RequestID, text: String)? {
        guard let sent = fields.only("traceparent"), let id = RequestID(traceparent: sent) else {
            return nil
        }
        return (id, String(decoding: sent, as: UTF8.self))
    }

    /// Said once, and fit to be shown.
    private func place(_ fields: Fields) -> PlaceName? {
        placeHeader.flatMap { fields.only(named: $0) }.flatMap(PlaceName.init)
    }

    /// Sent once and saying nothing else: a list could have been begun by anybody.
    private static func saysHTTPS(_ fields: Fields) -> Bool {
        fields.only("x-forwarded-proto")?.elementsEqual("https".utf8) ?? false
    }
}
