internal import HTTPServer
package import Issuing
package import OAuth

/// A route for a user's own things: form B, for the holder of a live token with full access
/// (WireContract 9.1 and 9.5).
package protocol UserRoute: Route {
    /// Whom it lets in.
    var gate: UserGate { get }

    /// What stands in `result`.
    func answer(_ request: UserRequest) async throws(EnvelopeError) -> [UInt8]
}

extension UserRoute {
    package static var errorForm: ErrorForm { .envelope }
    package static var crossOrigin: CrossOrigin { .clients }

    package func respond(to request: Request, in project: Project) async -> Response {
        let response: Response
        do throws(EnvelopeError) {
            response = .result(try await answer(try await gate.admit(request, in: project)))
        } catch { response = .envelope(error) }
        return response.renewing(gate.nonce(in: project))
    }
}
