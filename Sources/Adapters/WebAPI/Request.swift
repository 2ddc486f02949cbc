internal import HTTPServer
package import Domain
package import Issuing
package import OAuth

/// One request, framed, bounded and traced; nothing of it is trusted yet.
///
/// A class, because every layer hands it on: one reference, not a dozen.
package final class Request: Sendable {
    package let method: Method
    /// What a proof of possession must name (RFC 9449 section 4.3); `method` may be the route's.
    package let sentMethod: Method
    /// As sent, without the query; escapes are not decoded.
    package let path: String
    /// What follows the first `?`; empty when there is none.
    package let query: [UInt8]
    /// The `Host`, lower case, without port.
    package let host: String
    package let headers: RequestHeaders
    package let body: [UInt8]
    package let client: ClientAddress
    /// Whether the caller's connection was over TLS, to us or to a trusted proxy.
    package let isSecure: Bool
    /// The SHA-256 of the caller's certificate (DER), where the listener asks for one.
    package let certificateDigest: [UInt8]?
    /// Where a trusted proxy says that the caller is.
    package let place: PlaceName?
    package let id: RequestID
    /// `traceparent`, well-formed, as a trusted proxy sent it: the id is its trace id.
    package let traceparent: String?
    package let deadline: Deadline
    /// The `{names}` of the route's path and what stood there, percent-decoded.
    package let parameters: [String: [UInt8]]

    package init(
        method: Method,
        path: String,
        query: [UInt8] = [],
        host: String,
        headers: RequestHeaders = RequestHeaders(),
        body: [UInt8] = [],
        client: ClientAddress,
        isSecure: Bool = false,
        certificateDigest: [UInt8]? = nil,
        place: PlaceName? = nil,
        id: RequestID,
        traceparent: String? = nil,
        deadline: Deadline,
        parameters: [String: [UInt8]] = [:]
    ) {
        self.method = method
        sentMethod = method
        self.path = path
        self.query = query
        self.host = host
        self.headers = headers
        self.body = body
        self.client = client
        self.isSecure = isSecure
        self.certificateDigest = certificateDigest
        self.place = place
        self.id = id
        self.traceparent = traceparent
        self.deadline = deadline
        self.parameters = parameters
    }

    /// For the events that it causes.
    var correlation: Correlation {
        Correlation(request: id.stream, traceparent: traceparent, source: self)
    }

    /// As its route sees it: `HEAD` is a `GET`, the path's `{names}` are filled in.
    ///
    /// `client`: what its limits count it by; nil: as it was sent.
    func routed(_ parameters: [String: [UInt8]], from client: ClientAddress? = nil) -> Request {
        Request(self, parameters, from: client ?? self.client)
    }

    /// Names no default, so that nothing of `sent` is forgotten.
    private init(_ sent: Request, _ parameters: [String: [UInt8]], from client: ClientAddress) {
        method = sent.method == .head ? .get : sent.method
        sentMethod = sent.sentMethod
        path = sent.path
        query = sent.query
        host = sent.host
        headers = sent.headers
        body = sent.body
        self.client = client
        isSecure = sent.isSecure
        certificateDigest = sent.certificateDigest
        place = sent.place
        id = sent.id
        traceparent = sent.traceparent
        deadline = sent.deadline
        self.parameters = parameters
    }

    /// Whether its one `Content-Type` says `type`.
    func isSent(as type: MediaType) -> Bool {
        // As nearly everybody writes it.
        if headers.isOnly("content-type", type.name) { return true }
        return headers["content-type"].flatMap { MediaType(headerValue: $0) } == type
    }

    /// The parameters of a form posted to an `/oauth2/*` route (WireContract 1.1).
    ///
    /// - Throws: `invalid_request` for a query, another media type or a malformed form.
    package func form() throws(OAuthError) -> RequestParameters {
        guard query.isEmpty else {
            throw OAuthError(.invalidRequest, "parameters in the query are not accepted")
        }
        guard isSent(as: .form) else {
            throw OAuthError(.invalidRequest, "request content type is invalid")
        }
        do { return RequestParameters(try Form(parsing: body)) } catch {
            throw OAuthError(.invalidRequest, "request body is malformed", cause: "\(error)")
        }
    }

    /// The parameters of the query.
    ///
    /// - Throws: `invalid_request` when it is malformed.
    package func queryParameters() throws(OAuthError) -> RequestParameters {
        do { return RequestParameters(try Form(parsing: query)) } catch {
            throw OAuthError(.invalidRequest, "request query is malformed", cause: "\(error)")
        }
    }

    /// The JSON body of a route of form B.
    ///
    /// - Throws: `BadRequest` for another media type or malformed JSON.
    package func json() throws(EnvelopeError) -> JSON {
        guard isSent(as: .json) else {
            throw EnvelopeError(.badRequest, "request content type is invalid")
        }
        do { return try JSONReader.read(body) } catch {
            throw EnvelopeError(.badRequest, "request body is not valid JSON", cause: "\(error)")
        }
    }

    /// The credentials of `Authorization` under `scheme`, any case; nil for another scheme.
    package func credentials(_ scheme: String) -> [UInt8]? {
        guard let value = headers["authorization"],
            let space = value.firstIndex(of: UInt8(ascii: " ")),
            value[..<space].elementsEqual(scheme.utf8, by: { $0 | 0x20 == $1 | 0x20 })
        else { return nil }
        return Array(value[space...].drop { $0 == UInt8(ascii: " ") })
    }
}

extension Request: RequestSource {
    package var network: String { client.network }

    package var userAgent: String {
        String(decoding: (headers["user-agent"] ?? []).prefix(512), as: UTF8.self)
    }
}
