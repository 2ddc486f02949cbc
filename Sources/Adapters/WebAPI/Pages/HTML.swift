/// Markup: constants enter it as they are, every value enters it escaped.
///
/// Written as a literal with interpolations, `"<p>\(name)</p>"`. There is no way from a `String` to
/// markup: an interpolated string is text, whatever is in it (Security 7.2).
package struct HTML: Sendable, ExpressibleByStringInterpolation {
    package private(set) var bytes: [UInt8]

    package init(stringLiteral: StaticString) {
        bytes = Array("\(stringLiteral)".utf8)
    }

    package init(stringInterpolation: Interpolation) { bytes = stringInterpolation.bytes }

    /// One piece after the other.
    package init(_ pieces: [HTML]) { bytes = pieces.flatMap(\.bytes) }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 32)
        }

        /// Markup of ours.
        package mutating func appendLiteral(_ literal: StaticString) {
            bytes.append(contentsOf: "\(literal)".utf8)
        }

        /// Text.
        package mutating func appendInterpolation(_ text: String) { append(text.utf8) }

        /// ASCII or UTF-8 text.
        package mutating func appendInterpolation(text: [UInt8]) { append(text) }

        /// Digits.
        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            append(String(number).utf8)
        }

        /// Markup that was made the same way.
        package mutating func appendInterpolation(_ markup: HTML) { bytes += markup.bytes }

        /// As above, one after the other.
        package mutating func appendInterpolation(_ pieces: [HTML]) {
            for piece in pieces { bytes += piece.bytes }
        }

        /// Nothing for nil.
        package mutating func appendInterpolation(_ markup: HTML?) {
            if let markup { bytes += markup.bytes }
        }

        /// Escapes what would end a text or a quoted attribute.
        private mutating func append(_ text: some Sequence<UInt8>) {
            for byte in text {
                switch byte {
                case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
                case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
                case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
                case UInt8(ascii: "\""): bytes.append(contentsOf: "&quot;".utf8)
                case UInt8(ascii: "'"): bytes.append(contentsOf: "&#39;".utf8)
                default: bytes.append(byte)
                }
            }
        }
    }
}
