internal import HTTPServer
internal import OAuth

/// What goes back: status, header fields, body.
///
/// The pipeline adds `X-Request-Id` and what caching and cross-origin rules ask for; the driver
/// adds framing.
package struct Response: Sendable {
    /// What the log says of a refusal and the client does not hear.
    package struct Refusal: Hashable, Sendable {
        /// The wire's word for it.
        package var error: String
        package var cause: String
        /// The identifier in the handbook.
        package var id: String?
        /// Of the project's clients, the one that the request was made as.
        package var client: String?

        package init(error: String, cause: String, id: String? = nil) {
            self.error = error
            self.cause = cause
            self.id = id
        }
    }

    /// `Cache-Control`.
    package enum Caching: Hashable, Sendable {
        /// For answers to one caller: `no-store`; with JSON also what old caches and browsers need.
        case never
        /// For everybody, for 300 s.
        case shared
        /// A name that changes with the content.
        case immutable
        /// Already among the fields.
        case written
    }

    private(set) var message: HTTPServer::Response
    package var refusal: Refusal?
    package var caching = Caching.never
    private var isJSON = false

    package init(_ status: Status, contentType: StaticString? = nil, body: [UInt8] = []) {
        message = HTTPServer::Response(status, contentType: contentType, body: body)
    }

    private init(_ message: HTTPServer::Response) { self.message = message }

    /// An answer without content.
    package static func empty(_ status: Status) -> Self { Self(status) }

    /// An answer in JSON, for one caller alone unless `caching` is changed.
    package static func json(_ body: [UInt8], status: Status = .ok) -> Self {
        // As it goes out, like what else nearly every answer carries: a piece takes as long as a
        // line.
        let line: StaticString = "Content-Type: application/json\r\n"
        var response = Self(HTTPServer::Response(status, lines: line, body: body))
        response.isJSON = true
        return response
    }

    /// `{"result":…}` (form B of WireContract 1.2).
    package static func result(_ body: [UInt8], status: Status = .ok) -> Self {
        var writer = JSONWriter(reserving: body.count + 16)
        writer.object { writer in
            writer.name("result")
            writer.rendered(body)
        }
        return json(writer.bytes, status: status)
    }

    /// As above, with the members that `write` writes.
    static func result(reserving count: Int, _ write: (inout JSONWriter) -> Void) -> Self {
        var writer = JSONWriter(reserving: count)
        writer.object { writer in
            writer.name("result")
            writer.object(write)
        }
        return json(writer.bytes)
    }

    package var status: Status { message.status }
    package var body: [UInt8] { message.body }

    /// Adds a field; a value with a control byte turns the answer into an empty 500.
    package mutating func add(_ name: StaticString, _ value: String) { message.add(name, value) }

    /// Adds fields as they go out, each with its line end.
    mutating func add(lines: StaticString) { message.add(lines: lines) }

    /// The values of the fields called `name`, in any case of letters.
    package func values(of name: String) -> [String] { message.values(of: name) }

    /// Ready to be sent: what every answer carries (Security 7.2).
    consuming func finished(_ id: RequestID) -> HTTPServer::Response {
        message.add(beginning: "X-Request-Id: ", plain: id.append(to:))
        switch caching {
        case .never:
            message.add(
                lines: isJSON
                    ? """
                    Cache-Control: no-store\r\nPragma: no-cache\r\n\
                    X-Content-Type-Options: nosniff\r\n
                    """
                    : "Cache-Control: no-store\r\n"
            )
        case .shared: message.add("Cache-Control", "public, max-age=300" as StaticString)
        case .immutable:
            message.add("Cache-Control", "public, max-age=31536000, immutable" as StaticString)
        case .written: break
        }
        return message
    }
}
