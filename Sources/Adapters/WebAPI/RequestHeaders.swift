package import HTTPServer

/// The header fields of a request; names are asked for in lower case.
package struct RequestHeaders: Sendable {
    private let fields: Fields

    package init(_ fields: Fields) { self.fields = fields }

    /// For tests and requests made inside.
    package init(_ pairs: KeyValuePairs<String, String> = [:]) {
        fields = Fields(pairs.map { (name: $0.key, value: $0.value) })
    }

    /// The value of the one field `name`; nil when absent or sent twice.
    package subscript(name: StaticString) -> [UInt8]? { fields.only(name) }

    /// Whether the one field `name` has this value, letters of any case.
    func isOnly(_ name: StaticString, _ value: StaticString) -> Bool {
        fields.isOnly(name, value)
    }

    /// Every value of the field `name`, in order.
    package func all(_ name: StaticString) -> [[UInt8]] { fields.all(name) }

    /// Whether the field was sent at all.
    package func contains(_ name: StaticString) -> Bool { fields.count(of: name) > 0 }

    /// Whether any field was sent whose name begins so.
    func hasName(beginningWith prefix: StaticString) -> Bool {
        fields.hasName(beginningWith: prefix)
    }
}
