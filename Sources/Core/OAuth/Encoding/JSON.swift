/// A JSON value (RFC 8259); an object keeps the order of its members.
///
/// Strings are compared as bytes: to Swift `"é"` equals `"e\u{301}"`, to a protocol it does not.
package enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// The text of a number that is no integer; only where the reader was asked for such numbers.
    case decimal(String)
    case string(String)
    case array([JSON])
    case object([Member])

    package struct Member: Hashable, Sendable {
        package let name: String
        package let value: JSON

        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }

        package static func == (left: Self, right: Self) -> Bool {
            left.name.isSame(as: right.name) && left.value == right.value
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(name.utf8.count) }
    }

    /// The value of the member `name` of an object; nil when absent or not an object.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        // Looked at where they are: a loop over the array would count references to each.
        let (span, wanted) = (members.span, name.utf8Span.span)
        for index in span.indices where span[index].name.isSame(as: wanted) {
            return span[index].value
        }
        return nil
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    package var array: [JSON]? {
        if case .array(let values) = self { values } else { nil }
    }

    package var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The items of an array of strings; nil for anything else.
    package var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        var texts: [String] = []
        texts.reserveCapacity(values.count)
        for value in values {
            guard case .string(let text) = value else { return nil }
            texts.append(text)
        }
        return texts
    }
}

extension JSON: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.decimal(let left), .decimal(let right)): left.isSame(as: right)
        case (.string(let left), .string(let right)): left.isSame(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.integer, _), (.decimal, _), (.string, _), (.array, _),
            (.object, _):
            false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        // Canonically equal texts must not be required to differ: lengths are enough here.
        case .decimal(let text), .string(let text): hasher.combine(text.utf8.count)
        case .array(let values): hasher.combine(values.count)
        case .object(let members): hasher.combine(members.count)
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .string(text) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral values: JSON...) { self = .array(values) }
    package init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(members.map(Member.init))
    }
}
