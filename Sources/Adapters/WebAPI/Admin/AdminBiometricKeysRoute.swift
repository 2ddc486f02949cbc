internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /admin/v1/subjects/{sub}/biometric_keys`: what logs a user in (WireContract 9.5).
package struct AdminBiometricKeysRoute: AdminRoute {
    package static var paths: [String] { ["/admin/v1/subjects/{sub}/biometric_keys"] }
    package static var methods: [Method] { [.get] }

    private let devices: DeviceAdministration

    package init(devices: DeviceAdministration) { self.devices = devices }

    package static func role(for method: Method) -> Operator.Role { .read }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            let project = try request.project()
            let subject = try request.subject()
            let list: BiometricKeys.List
            do {
                list = try await devices.keys(of: subject, in: project, by: request.deadline)
            } catch { throw EnvelopeError(error, absent: "no such subject") }
            return .result(BiometricKeysRoute.render(list, of: subject))
        } catch { return .admin(error) }
    }
}
