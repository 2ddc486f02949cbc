/// A record as Kafka gets it (events.md section 10.2).
package struct PublishedRecord: Hashable, Sendable {
    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: [UInt8]

        package init(_ name: String, _ value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    package var key: [UInt8]
    package var headers: [Header]
    /// Canonical JSON, at least `{}`.
    package var value: [UInt8]

    package init(key: [UInt8], headers: [Header], value: [UInt8]) {
        self.key = key
        self.headers = headers
        self.value = value
    }

    /// The value of the first header of that name.
    package subscript(header name: String) -> [UInt8]? {
        headers.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
}
