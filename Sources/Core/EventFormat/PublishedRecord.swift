/// A record as Kafka gets it (Events 10.2).
package struct PublishedRecord: Hashable, Sendable {
    package var key: [UInt8]
    package var headers: Headers
    /// Canonical JSON, at least `{}`.
    package var value: [UInt8]

    package init(key: [UInt8], headers: Headers, value: [UInt8]) {
        self.key = key
        self.headers = headers
        self.value = value
    }

    /// The value of the first header of that name.
    package subscript(header name: String) -> [UInt8]? {
        headers[name]
    }
}
