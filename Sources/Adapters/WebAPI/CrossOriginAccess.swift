internal import HTTPServer
/// The cross-origin fields of one answer (Fetch standard section 3.2, WireContract 1.3).
struct CrossOriginAccess {
    private static let headers = "Authorization, Content-Type, DPoP"
    private static let exposed = "DPoP-Nonce, WWW-Authenticate, X-Request-Id, Retry-After"

    private let rule: CrossOrigin
    private let isPreflight: Bool
    /// The caller's origin when it is one of the project's.
    private let origin: String?

    init(
        _ method: Method,
        _ headers: RequestHeaders,
        _ rule: CrossOrigin,
        allowed: () -> Set<[UInt8]>
    ) {
        self.rule = rule
        let sent = rule == .none ? nil : headers["origin"]
        isPreflight =
            method == .options && sent != nil
            && headers.contains("access-control-request-method")
        if rule == .clients, let sent, allowed().contains(sent) {
            origin = String(decoding: sent, as: UTF8.self)
        } else {
            origin = nil
        }
    }

    /// The answer to `OPTIONS`: what the route takes, and for a page that may, with what headers.
    func preflight(allow: String) -> Response {
        var response = Response.empty(.noContent)
        response.add("Allow", allow)
        guard isPreflight, rule == .anyone || origin != nil else { return response }
        response.add("Access-Control-Allow-Methods", allow)
        response.add("Access-Control-Allow-Headers", Self.headers)
        response.add("Access-Control-Max-Age", "600")
        return response
    }

    func dress(_ response: inout Response) {
        switch rule {
        case .none: return
        case .anyone: response.add("Access-Control-Allow-Origin", "*")
        case .clients:
            // A cache that kept the answer for one origin must not give it to another.
            response.add(lines: "Vary: Origin\r\n")
            guard let origin else { return }
            response.add("Access-Control-Allow-Origin", origin)
            // Scripts that send cookies along may read it: none of these routes looks at one
            // (decision 0143).
            response.add("Access-Control-Allow-Credentials", "true")
            if !isPreflight {
                response.add("Access-Control-Expose-Headers", Self.exposed)
            }
        }
    }
}
