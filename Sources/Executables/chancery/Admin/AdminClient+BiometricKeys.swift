import OAuth
import Runtime

extension AdminClient {
    /// Where a user's biometric keys are.
    static func biometricKeysPath(of subject: String) -> String {
        "/subjects/\(HTTPRequest.escaped(subject))/biometric_keys"
    }

    /// Those that log a user in, the newest first.
    func biometricKeys(of subject: String, on loop: Loop) async throws(CommandFailure) -> [JSON] {
        let path = Self.biometricKeysPath(of: subject)
        let answer = try await call("GET", path, on: loop)
        guard case .array(let keys) = answer.json?["result"]?["biometric_keys"] else {
            throw CommandFailure("the admin API answered no list of biometric keys")
        }
        return keys
    }
}
