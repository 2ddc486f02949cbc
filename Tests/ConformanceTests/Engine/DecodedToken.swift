import Foundation
import TestSupport

extension WireAnswer {
    /// What a JWT says, as an answer: `{"header":…,"claims":…}`, each as it was written.
    init?(decoding token: String) {
        let parts = token.split(separator: ".").prefix(2).compactMap { part in
            let text = part.replacing("-", with: "+").replacing("_", with: "/")
            let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
            return Data(base64Encoded: text + padding).map { String(decoding: $0, as: UTF8.self) }
        }
        guard parts.count == 2 else { return nil }
        let text = "HTTP/1.1 200 OK\r\n\r\n{\"header\":\(parts[0]),\"claims\":\(parts[1])}"
        self.init(parsing: Data(text.utf8))
    }

    /// A member that is an object.
    func object(_ name: String) -> [String: Any]? {
        let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
        return object?[name] as? [String: Any]
    }

    /// A text that the token says which is the member `member`.
    func claim(_ name: String, of member: String) -> String? {
        let token = self.member(member).flatMap { Self(decoding: $0) }
        return token?.object("claims")?[name] as? String
    }

    /// A member of `result`, as answers outside OAuth have it.
    func result(_ name: String) -> String? { object("result")?[name] as? String }
}
