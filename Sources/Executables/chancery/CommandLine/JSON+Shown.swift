import OAuth

extension JSON {
    /// A scalar as people read it.
    var shown: String {
        switch self {
        case .null: ""
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .decimal(let text), .string(let text): text
        case .array, .object: String(decoding: JSONWriter.write(self), as: UTF8.self)
        }
    }
}
