internal import Domain
internal import EventFormat
internal import HTTPServer
package import Issuing
package import OAuth

/// `GET /api/v1/biometric_keys`: the keys that log this user in (WireContract 9.5).
package struct BiometricKeysRoute: UserRoute {
    package static var paths: [String] { ["/api/v1/biometric_keys"] }
    package static var methods: [Method] { [.get] }

    package let gate: UserGate
    private let keys: BiometricKeys

    package init(gate: UserGate, keys: BiometricKeys) {
        self.gate = gate
        self.keys = keys
    }

    package func answer(_ request: UserRequest) async throws(EnvelopeError) -> [UInt8] {
        let list: BiometricKeys.List
        do throws(StoreError) {
            list = try await keys.shown(
                of: request.caller.subject,
                in: request.project.number,
                by: request.deadline
            )
        } catch { throw EnvelopeError(OAuthError(error)) }
        return Self.render(list)
    }

    /// `subject`: whose, where that is to be said.
    static func render(_ list: BiometricKeys.List, of subject: SubjectID? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("biometric_keys")
            writer.array { writer in
                for (key, info) in list.keys {
                    writer.object { writer in
                        writer.member("kid", key.kid)
                        if let subject { writer.member("sub", subject.description) }
                        writer.member("client_id", key.client.text)
                        if let device = info?.device { writer.member("device", device) }
                        writer.member("created_at", verbatim: RFC3339.milliseconds(key.enabledAt))
                        if let last = key.lastUsedAt {
                            writer.member("last_used_at", verbatim: RFC3339.milliseconds(last))
                        }
                    }
                }
            }
            // Not there as a rule: who reads the list alone misses nothing.
            if !list.unreadable.isEmpty {
                writer.member("unreadable", Int64(list.unreadable.count))
            }
        }
        return writer.bytes
    }
}
