package import OAuth

extension Form {
    /// The pairs as they would be posted, for a reference kept in a URL.
    package static func encode(_ fields: [Field]) -> [UInt8] {
        var text: [UInt8] = []
        for field in fields {
            if !text.isEmpty { text.append(UInt8(ascii: "&")) }
            PercentEncoding.append(field.name, to: &text)
            text.append(UInt8(ascii: "="))
            PercentEncoding.append(field.value, to: &text)
        }
        return text
    }
}
