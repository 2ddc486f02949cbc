internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /admin/v1/sessions/{sid}/end`: one session, and what its end ends (WireContract 9.7).
package struct AdminSessionEndRoute: AdminRoute {
    package static var paths: [String] { ["/admin/v1/sessions/{sid}/end"] }
    package static var methods: [Method] { [.post] }

    private let devices: DeviceAdministration

    package init(devices: DeviceAdministration) { self.devices = devices }

    package static func role(for method: Method) -> Operator.Role { .operate }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            let order = try request.order().order
            guard let id = SessionID(text: request.request.parameters["sid"] ?? []) else {
                throw EnvelopeError(.notFound, "no such session")
            }
            let former: SessionList.Entry.Status
            do { former = try await devices.end(id, by: order) } catch {
                throw EnvelopeError(error, absent: "no such session")
            }
            return .result(reserving: 32) { $0.member("was", former.rawValue) }
        } catch { return .admin(error) }
    }
}
