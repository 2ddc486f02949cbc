internal import Domain
internal import EventFormat
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /admin/v1/keys`: the signing keys of a project, their standing, and who brought them there.
package struct AdminKeyListRoute: AdminRoute {
    package static var paths: [String] { ["/admin/v1/keys"] }
    package static var methods: [Method] { [.get] }

    private let administration: KeyAdministration
    private let history: ProjectHistory

    package init(administration: KeyAdministration, history: ProjectHistory) {
        self.administration = administration
        self.history = history
    }

    package static func role(for method: Method) -> Operator.Role { .read }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            let project = try request.project()
            let keys: [SigningKeyRing.Key]
            let changes: [String: [ProjectHistory.KeyChange]]
            let deadline = request.deadline
            do {
                keys = try await administration.keys(in: project, by: deadline)
                changes = try await history.keyChanges(of: project, by: deadline)
            } catch { throw EnvelopeError(error) }
            return .result(Self.render(keys, changes))
        } catch { return .admin(error) }
    }

    private static func render(
        _ keys: [SigningKeyRing.Key],
        _ changes: [String: [ProjectHistory.KeyChange]]
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("keys")
            writer.array { writer in
                for key in keys {
                    writer.object { writer in
                        writer.member("kid", key.kid)
                        writer.member("algorithm", key.algorithm.rawValue)
                        writer.member("status", status(key.status))
                        writer.member("staged_at", verbatim: RFC3339.milliseconds(key.stagedAt))
                        if let retired = key.retiredAt {
                            writer.member("retired_at", verbatim: RFC3339.milliseconds(retired))
                        }
                        writer.name("changes")
                        writer.array { writer in
                            for change in changes[key.kid] ?? [] {
                                writer.object { change.write(to: &$0) }
                            }
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    private static func status(_ status: SigningKeyRing.Status) -> String {
        switch status {
        case .staged: "staged"
        case .current: "current"
        case .previous: "previous"
        case .removed: "removed"
        case .compromised: "compromised"
        }
    }
}

extension ProjectHistory.KeyChange {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("status", standing.rawValue)
        writer.member("at", verbatim: RFC3339.milliseconds(at))
        if let operatorName { writer.member("operator", operatorName) }
        if let reason { writer.member("reason", reason) }
    }
}
