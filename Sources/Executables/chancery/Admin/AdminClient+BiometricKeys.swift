import OAuth
import Runtime

extension AdminClient {
    /// Where a user's biometric keys are.
    static func biometricKeysPath(of subject: String) -> String {
        "/subjects/\(HTTPRequest.escaped(subject))/biometric_keys"
    }

    /// Those that log a user in, the newest first, and how many more the server cannot read.
    func biometricKeys(of subject: String, on loop: Loop)
        async throws(CommandFailure) -> (keys: [JSON], unreadable: Int)
    {
        let answer = try await call("GET", Self.biometricKeysPath(of: subject), on: loop)
        let result = answer.json?["result"]
        let keys = try Self.list("biometric_keys", of: result)
        return (keys, Int(result?["unreadable"]?.integer ?? 0))
    }
}
