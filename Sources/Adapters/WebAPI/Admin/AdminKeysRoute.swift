internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /admin/v1/keys/stage`, `promote`, `retire`, `compromise` (WireContract 13.3).
package struct AdminKeysRoute: AdminRoute {
    package static var paths: [String] {
        ["stage", "promote", "retire", "compromise"].map { "/admin/v1/keys/\($0)" }
    }
    package static var methods: [Method] { [.post] }

    private let administration: KeyAdministration

    package init(administration: KeyAdministration) { self.administration = administration }

    package static func role(for method: Method) -> Operator.Role { .configure }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            let (kid, former) =
                request.request.path.isSame(as: "/admin/v1/keys/stage")
                ? (try await stage(request), nil)
                : try await change(request)
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("kid", kid)
                if let former { writer.member("compromised", former) }
            }
            return .result(writer.bytes)
        } catch { return .admin(error) }
    }

    private func stage(_ request: AdminRequest) async throws(EnvelopeError) -> String {
        let (order, body) = try request.order(["algorithm"])
        var algorithm = order.project.settings.signingAlgorithm
        if let name = try AdminRequest.optionalText("algorithm", of: body) {
            guard let named = SigningKeyRing.Algorithm(rawValue: name) else {
                throw .invalid([.general("/algorithm", "must be ES256, RS256 or EdDSA")])
            }
            algorithm = named
        }
        do { return try await administration.stage(algorithm, by: order) } catch {
            throw EnvelopeError(error)
        }
    }

    private func change(_ request: AdminRequest)
        async throws(EnvelopeError) -> (kid: String, former: String?)
    {
        let isPromotion = request.request.path.isSame(as: "/admin/v1/keys/promote")
        let isRetirement = request.request.path.isSame(as: "/admin/v1/keys/retire")
        // The word that each takes when it is meant in earnest; a retirement takes none.
        let word: String? = isPromotion ? "emergency" : isRetirement ? nil : "final"
        let (order, body) = try request.order(["kid"] + (word.map { [$0] } ?? []))
        let kid = try AdminRequest.text("kid", of: body)
        let given = word.flatMap { body[$0] } ?? false
        guard let isMeant = given.bool else {
            throw .invalid([.general("/\(word ?? "")", "must be true or false")])
        }
        let change: KeyAdministration.Change =
            isPromotion
            ? .promote(kid: kid, emergency: isMeant)
            : isRetirement ? .retire(kid: kid) : .compromise(kid: kid, isFinal: isMeant)
        do {
            return (kid, try await administration.change(change, by: order))
        } catch { throw EnvelopeError(error) }
    }
}
