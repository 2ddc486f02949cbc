internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /api/v1/biometric_keys`: the keys that log this user in (wire.md section 9.5).
package struct BiometricKeysRoute: Route {
    package static var paths: [String] { ["/api/v1/biometric_keys"] }
    package static var methods: [Method] { [.get] }
    package static var errorForm: ErrorForm { .envelope }
    package static var crossOrigin: CrossOrigin { .clients }

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
            var shown: [(BiometricKey.Registration, DeviceInfo?)] = []
            do throws(StoreError) {
                for key in try await keys.enabled(of: caller.subject, by: request.deadline) {
                    let device = try await keys.device(
                        of: key,
                        in: project.number,
                        by: request.deadline
                    )
                    shown.append((key, device))
                }
            } catch { throw EnvelopeError(OAuthError(error)) }
            return .result(Self.render(shown))
        } catch { return .envelope(error) }
    }

    private static func render(_ keys: [(BiometricKey.Registration, DeviceInfo?)]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("biometric_keys")
            writer.array { writer in
                for (key, info) in keys {
                    writer.object { writer in
                        writer.member("kid", key.kid)
                        writer.member("client_id", key.client.text)
                        if let device = info?.device { writer.member("device", device) }
                        writer.member("created_at", CivilText.milliseconds(key.enabledAt))
                        if let last = key.lastUsedAt {
                            writer.member("last_used_at", CivilText.milliseconds(last))
                        }
                    }
                }
            }
        }
        return writer.bytes
    }
}
