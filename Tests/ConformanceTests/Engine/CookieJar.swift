import Foundation
import TestSupport

/// The cookies of one browser: by name, one origin.
struct CookieJar {
    private var cookies: [String: String] = [:]

    /// The value of `Cookie`; nil when there are none.
    var header: String? {
        cookies.isEmpty
            ? nil : cookies.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "; ")
    }

    /// Takes what an answer sets; an empty value or `Max-Age=0` removes.
    mutating func take(_ answer: WireAnswer) {
        for header in answer.headers where header.name == "set-cookie" {
            let parts = header.value.components(separatedBy: ";")
            guard let sign = parts[0].firstIndex(of: "=") else { continue }
            let name = parts[0][..<sign].trimmingCharacters(in: .whitespaces)
            let value = String(parts[0][parts[0].index(after: sign)...])
            let isGone = parts.dropFirst().contains {
                $0.trimmingCharacters(in: .whitespaces).lowercased() == "max-age=0"
            }
            cookies[name] = value.isEmpty || isGone ? nil : value
        }
    }
}
