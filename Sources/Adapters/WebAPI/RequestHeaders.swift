/// The header fields of a request; names are lower case, values without surrounding space.
package struct RequestHeaders: Sendable {
    private let fields: [(name: [UInt8], value: [UInt8])]

    package init(_ fields: [(name: [UInt8], value: [UInt8])]) { self.fields = fields }

    /// For tests and requests made inside; names in lower case.
    package init(_ fields: KeyValuePairs<String, String> = [:]) {
        self.fields = fields.map { (Array($0.key.utf8), Array($0.value.utf8)) }
    }

    /// The value of the field `name`, given in lower case; nil when absent or sent twice.
    package subscript(name: String) -> [UInt8]? {
        var found: [UInt8]?
        for field in fields where field.name.elementsEqual(name.utf8) {
            guard found == nil else { return nil }
            found = field.value
        }
        return found
    }

    /// Every value of the field `name`, in order.
    package func all(_ name: String) -> [[UInt8]] {
        fields.filter { $0.name.elementsEqual(name.utf8) }.map(\.value)
    }

    /// Whether the field was sent at all.
    package func contains(_ name: String) -> Bool {
        fields.contains { $0.name.elementsEqual(name.utf8) }
    }
}
