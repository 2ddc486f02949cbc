internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /admin/v1/subjects/{sub}/biometric_keys/remove` one, `/remove_all` every one, each with
/// the session that it opened (WireContract 9.7).
package struct AdminKeyRemovalRoute: AdminRoute {
    package static var paths: [String] {
        ["remove", "remove_all"].map { "/admin/v1/subjects/{sub}/biometric_keys/\($0)" }
    }
    package static var methods: [Method] { [.post] }

    private let devices: DeviceAdministration

    package init(devices: DeviceAdministration) { self.devices = devices }

    package static func role(for method: Method) -> Operator.Role { .operate }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            // Whoever leaves the name out must not mean all.
            let isOne = request.request.path.hasSuffix("/remove")
            let (order, body) = try request.order(isOne ? ["kid"] : [])
            let kid = isOne ? try AdminRequest.text("kid", of: body) : nil
            let count = try await remove(kid, request, by: order)
            return .result(reserving: 32) { $0.member("removed", Int64(count)) }
        } catch { return .admin(error) }
    }

    /// `kid`: nil for all.
    ///
    /// - Returns: how many this removed.
    private func remove(_ kid: String?, _ request: AdminRequest, by order: Order)
        async throws(EnvelopeError) -> Int
    {
        guard let kid else { return try await removeAll(request, by: order) }
        let subject = try request.subject()
        let removal: BiometricKeys.Removal
        do throws(OperationError) {
            removal = try await devices.removeKey(kid, of: subject, by: order)
        } catch { throw EnvelopeError(error, absent: "no such subject") }
        switch removal {
        case .removed: return 1
        case .removedBefore: return 0
        case .unknown: throw EnvelopeError(.notFound, "the subject has no such biometric key")
        }
    }

    /// - Throws: also where a key is left: who reads the status alone must not take that for done.
    private func removeAll(_ request: AdminRequest, by order: Order)
        async throws(EnvelopeError) -> Int
    {
        let subject = try request.subject()
        let removals: DeviceAdministration.Removals
        do throws(OperationError) {
            removals = try await devices.removeKeys(of: subject, by: order)
        } catch { throw EnvelopeError(error, absent: "no such subject") }
        guard !removals.unreadable.isEmpty else { return removals.count }
        throw EnvelopeError(
            .unexpectedError,
            "not every key could be removed: this program cannot read them all, its log says which",
            cause: "unreadable: \(removals.unreadable.map(\.description).sorted())",
            refusal: "ST-003",
            causes: [
                .general("removed", "\(removals.count)"),
                .general("unreadable", "\(removals.unreadable.count)"),
            ]
        )
    }
}
