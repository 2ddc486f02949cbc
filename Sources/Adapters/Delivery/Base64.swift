/// Base64 with padding (RFC 4648 section 4), as mail headers have it.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(0) { bits, index in
                bits << 8 | (index < part.count ? Int(part[start + index]) : 0)
            }
            for index in 0..<4 {
                let isPadding = index > part.count
                text.append(
                    isPadding ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * index) & 63]
                )
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
