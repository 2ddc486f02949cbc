import OAuth
import Runtime

extension AdminClient {
    /// Where a user's biometric keys are.
    static func biometricKeysPath(of subject: String) -> String {
        "/subjects/\(HTTPRequest.escaped(subject))/biometric_keys"
    }

    /// Those that log a user in, the newest first.
    func biometricKeys(of subject: String, on loop: Loop) async throws(CommandFailure) -> [JSON] {
        try await list(Self.biometricKeysPath(of: subject), "biometric_keys", on: loop)
    }
}
