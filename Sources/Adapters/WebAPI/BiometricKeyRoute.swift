internal import Domain
internal import HTTPServer
package import Issuing
package import OAuth

/// `DELETE /api/v1/biometric_keys/{kid}`: this key logs nobody in any more (WireContract 9.5).
package struct BiometricKeyRoute: UserRoute {
    package static var paths: [String] { ["/api/v1/biometric_keys/{kid}"] }
    package static var methods: [Method] { [.delete] }

    package let gate: UserGate
    private let keys: BiometricKeys

    package init(gate: UserGate, keys: BiometricKeys) {
        self.gate = gate
        self.keys = keys
    }

    package static func slots(_ method: Method) -> Slots { .ending }

    package func answer(_ request: UserRequest) async throws(EnvelopeError) -> [UInt8] {
        let kid = String(decoding: request.request.parameters["kid"] ?? [], as: UTF8.self)
        let removal: BiometricKeys.Removal
        do {
            removal = try await keys.remove(
                kid,
                of: request.caller.subject,
                .user,
                request: request.command
            )
        } catch { throw EnvelopeError(OAuthError(error)) }
        guard removal == .removed else { throw EnvelopeError(.notFound, "not found") }
        return Array("{}".utf8)
    }
}
