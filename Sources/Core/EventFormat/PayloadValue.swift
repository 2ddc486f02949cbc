internal import Domain
internal import OAuth

/// A value of a payload, unpacked when it is asked for.
enum PayloadValue {
    /// In the bytes of a payload.
    case standing(CanonicalObject, CanonicalObject.Member)
    case unpacked(JSON)

    /// The value as a tree.
    var json: JSON? {
        switch self {
        case .standing(let object, let member): object.json(of: member)
        case .unpacked(let json): json
        }
    }

    var string: String? {
        switch self {
        case .standing(let object, let member): object.text(of: member)
        case .unpacked(let json): json.string
        }
    }

    var integer: Int64? {
        switch self {
        case .standing(let object, let member): object.integer(of: member)
        case .unpacked(let json): json.integer
        }
    }

    var bool: Bool? {
        switch self {
        case .standing(let object, let member): object.bool(of: member)
        case .unpacked(let json): json.bool
        }
    }

    /// The items of an array of strings; nil for anything else.
    var strings: [String]? {
        switch self {
        case .standing(let object, let member): object.texts(of: member)
        case .unpacked(let json): json.strings
        }
    }

    /// The bytes of a string.
    var utf8: [UInt8]? {
        if case .standing(let object, let member) = self,
            let content = object.content(of: member)
        {
            return Array(object.bytes[content])
        }
        return string.map { Array($0.utf8) }
    }

    var stream: StreamID? {
        if case .standing(let object, let member) = self,
            let content = object.content(of: member)
        {
            return StreamID(text: object.bytes[content].span)
        }
        return string.flatMap { StreamID(text: $0) }
    }
}
