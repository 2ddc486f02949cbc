/// The bytes of one log line: a JSON object of at most 4 KiB, newline included.
struct LogLine {
    static let bytesMax = 4_096
    static let textBytesMax = 1_024
    private static let tail = Array(#","truncated":true}"#.utf8) + [0x0A]

    private var bytes: [UInt8] = []
    private var isTruncated = false

    init(at microseconds: Int64, _ level: Log.Level, _ message: StaticString) {
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: #"{"ts":""#.utf8)
        bytes.append(contentsOf: CivilTime(microseconds: microseconds).rfc3339.utf8)
        bytes.append(contentsOf: #"","level":""#.utf8)
        bytes.append(level.name)
        bytes.append(contentsOf: #"","msg":"#.utf8)
        appendText(message.description)
    }

    /// Adds `field`, or drops it when the line would grow too long.
    mutating func append(_ field: Log.Field) {
        let before = bytes.count
        bytes.append(contentsOf: #",""#.utf8)
        bytes.append(field.name)
        bytes.append(contentsOf: #"":"#.utf8)
        switch field.value {
        case .text(let text): appendText(text)
        case .number(let number): bytes.append(contentsOf: String(number).utf8)
        case .flag(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .milliseconds(let duration): appendMilliseconds(duration)
        case .hexadecimal(let digits): appendHexadecimal(digits)
        }
        if bytes.count + Self.tail.count > Self.bytesMax {
            bytes.removeSubrange(before...)
            isTruncated = true
        }
    }

    consuming func finished() -> [UInt8] {
        if isTruncated {
            bytes.append(contentsOf: Self.tail)
        } else {
            bytes.append(contentsOf: [0x7D, 0x0A])
        }
        return bytes
    }

    private mutating func appendMilliseconds(_ duration: Duration) {
        let microseconds = duration.clampedNanoseconds / 1_000
        if microseconds < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, part) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000)
        bytes.append(contentsOf: "\(whole).\(String(part + 1_000).dropFirst())".utf8)
    }

    private mutating func appendHexadecimal(_ digits: [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in digits {
            bytes.append(Self.digit(byte >> 4))
            bytes.append(Self.digit(byte & 15))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendText(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let limit = bytes.count + Self.textBytesMax
        for scalar in text.unicodeScalars {
            guard bytes.count < limit else {
                isTruncated = true
                break
            }
            switch scalar.value {
            case 0x22, 0x5C: bytes.append(contentsOf: [0x5C, UInt8(scalar.value)])
            // C0, DEL and C1: the last steer terminals as well. U+2028 and U+2029 end lines.
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: appendEscape(scalar.value)
            default:
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ value: UInt32) {
        bytes.append(contentsOf: #"\u"#.utf8)
        for shift: UInt32 in [12, 8, 4, 0] {
            bytes.append(Self.digit(UInt8(truncatingIfNeeded: value >> shift) & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x57 + value
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }
}
