internal import Domain
internal import EventFormat
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /admin/v1/keys`: the signing keys of a project and their standing.
package struct AdminKeyListRoute: AdminRoute {
    package static var paths: [String] { ["/admin/v1/keys"] }
    package static var methods: [Method] { [.get] }

    private let administration: KeyAdministration

    package init(administration: KeyAdministration) { self.administration = administration }

    package static func role(for method: Method) -> Operator.Role { .read }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            let project = try request.project()
            let keys: [SigningKeyRing.Key]
            do {
                keys = try await administration.keys(in: project, by: request.request.deadline)
            } catch { throw EnvelopeError(error) }
            return .result(Self.render(keys))
        } catch { return .admin(error) }
    }

    private static func render(_ keys: [SigningKeyRing.Key]) -> [UInt8] {
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
