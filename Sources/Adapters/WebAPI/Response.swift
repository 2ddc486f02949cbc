internal import OAuth

/// What goes back: status, header fields, body.
///
/// The pipeline adds `X-Request-Id`, caching and cross-origin fields; the driver adds framing.
package struct Response: Sendable {
    package struct Header: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What the log says of a refusal and the client does not hear.
    package struct Refusal: Hashable, Sendable {
        /// The wire's word for it.
        package var error: String
        package var cause: String
        /// The identifier in the handbook.
        package var id: String?

        package init(error: String, cause: String, id: String? = nil) {
            self.error = error
            self.cause = cause
            self.id = id
        }
    }

    package var status: Int
    package var headers: [Header]
    package var body: [UInt8]
    package var refusal: Refusal?

    package init(status: Int, headers: [Header] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func empty(_ status: Int) -> Self { Self(status: status) }

    package static func json(_ body: [UInt8], status: Int = 200) -> Self {
        Self(status: status, headers: [jsonType], body: body)
    }

    /// `{"result":…}` (form B of wire.md section 1.2).
    package static func result(_ body: [UInt8], status: Int = 200) -> Self {
        var writer = JSONWriter(reserving: body.count + 16)
        writer.object { writer in
            writer.name("result")
            writer.rendered(body)
        }
        return json(writer.bytes, status: status)
    }

    /// A redirect that turns a POST into a GET.
    package static func seeOther(_ location: String) -> Self {
        Self(status: 303, headers: [Header("Location", location)])
    }

    /// The value of a field that was set, by its exact name.
    package subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    package mutating func set(_ name: String, _ value: String) {
        headers.removeAll { $0.name == name }
        headers.append(Header(name, value))
    }

    static let jsonType = Header("Content-Type", "application/json")
}
