internal import Domain
internal import HTTPServer
package import Issuing
internal import Runtime

/// Makes a request of what the driver read: who sent it, under which id, until when.
package struct Intake: Sendable {
    private let proxies: TrustedProxies
    private let entropy: any Entropy

    package init(proxies: TrustedProxies, entropy: any Entropy) {
        self.proxies = proxies
        self.entropy = entropy
    }

    func request(_ raw: HTTPServer::Request) -> Request {
        let isTrusted = proxies.trusts(raw.remote)
        return Request(
            method: raw.method,
            path: raw.path,
            query: raw.query ?? [],
            host: Self.host(raw.head),
            headers: RequestHeaders(raw.fields),
            body: raw.body,
            client: isTrusted
                ? proxies.client(of: raw.remote, forwardedFor: raw.fields.all("x-forwarded-for"))
                : ClientAddress(raw.remote),
            isSecure: raw.isTLS || isTrusted && Self.saysHTTPS(raw.fields),
            id: id(raw, isTrusted: isTrusted),
            deadline: Deadline(nanoseconds: raw.deadline.nanoseconds)
        )
    }

    /// Drawn, for a request that is refused before anything else of it counts.
    func newID() -> RequestID {
        let bytes = entropy.bytes(16)
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for byte in bytes {
            words.high = words.high << 8 | words.low >> 56
            words.low = words.low << 8 | UInt64(byte)
        }
        return RequestID(StreamID(high: words.high, low: words.low))
    }

    private func id(_ raw: HTTPServer::Request, isTrusted: Bool) -> RequestID {
        guard isTrusted, let sent = raw.fields.only("traceparent"),
            let id = RequestID(traceparent: sent)
        else { return newID() }
        return id
    }

    /// Sent once and saying nothing else: a list could have been begun by anybody.
    private static func saysHTTPS(_ fields: Fields) -> Bool {
        fields.only("x-forwarded-proto")?.elementsEqual("https".utf8) ?? false
    }

    /// Lower case, without the port.
    static func host(_ head: RequestHead) -> String {
        let bytes = head.host
        let bracket = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        let colon = bytes[bracket...].firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        let lower = bytes[..<colon].map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }
        return String(decoding: lower, as: UTF8.self)
    }
}
