import OAuth

extension Target {
    /// Reads back what it writes, and never more fields than its bound.
    static let form = Target("form") { bytes in
        guard let form = try? Form(parsing: bytes) else { return false }
        precondition(form.fields.count <= Form.fieldsMax, "a form beyond its bound")
        var text: [UInt8] = []
        for field in form.fields {
            if !text.isEmpty { text.append(UInt8(ascii: "&")) }
            PercentEncoding.append(field.name, to: &text)
            text.append(UInt8(ascii: "="))
            PercentEncoding.append(field.value, to: &text)
        }
        let again = try? Form(parsing: text)
        precondition(again?.fields == form.fields, "a form changes when it is written")
        return true
    }
}
