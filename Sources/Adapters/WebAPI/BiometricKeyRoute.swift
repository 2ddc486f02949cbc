internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `DELETE /api/v1/biometric_keys/{kid}`: this key logs nobody in any more (wire.md section 9.5).
package struct BiometricKeyRoute: Route {
    package static var paths: [String] { ["/api/v1/biometric_keys/{kid}"] }
    package static var methods: [Method] { [.delete] }
    package static var errorForm: ErrorForm { .envelope }
    package static var crossOrigin: CrossOrigin { .clients }
    package static var slots: Slots { .ending }

    private let access: UserAccess
    private let keys: BiometricKeys

    package init(access: UserAccess, keys: BiometricKeys) {
        self.access = access
        self.keys = keys
    }

    package func respond(to request: Request, in project: Project) async -> Response {
        await answer(request, in: project).renewing(access.nonce(in: project))
    }

    private func answer(_ request: Request, in project: Project) async -> Response {
        do throws(EnvelopeError) {
            let caller = try await access.caller(of: request, in: project)
            let kid = String(decoding: request.parameters["kid"] ?? [], as: UTF8.self)
            let command = caller.command(by: request, in: project)
            let isRemoved: Bool
            do {
                isRemoved = try await keys.remove(kid, of: caller.subject, request: command)
            } catch { throw EnvelopeError(OAuthError(error)) }
            guard isRemoved else { throw EnvelopeError(.notFound, "not found") }
            return .result(Array("{}".utf8))
        } catch { return .envelope(error) }
    }
}
