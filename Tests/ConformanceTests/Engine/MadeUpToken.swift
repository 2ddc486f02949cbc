import Foundation

/// A value of the right form that nobody issued, about an id of the caller's choice
/// (WireContract 8.2).
enum MadeUpToken {
    /// `id` is a UUID as claims show it; nil when it is none.
    static func text(_ kind: String, of id: String) -> String? {
        guard let uuid = UUID(uuidString: id) else { return nil }
        var bytes = unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }
        // A refresh token names its family and generation, too.
        if kind == "rt" { bytes += [0, 1, 0, 0, 0, 1] }
        bytes += (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        let base64 = Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
        return "\(kind)_\(base64)"
    }
}
