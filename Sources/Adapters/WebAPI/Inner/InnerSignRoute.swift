internal import Domain
package import Issuing
internal import OAuth

/// `POST /inner/sign` `{"project","typ","claims"}` → `{"result":{"token"}}` (Architecture 3).
package struct InnerSignRoute: InnerRoute {
    package static var path: String { "/inner/sign" }
    package static var bodyBytesMax: Int { 64 * 1024 }

    private let signing: InnerSigning
    private let projects: any ProjectDirectory

    package init(signing: InnerSigning, projects: any ProjectDirectory) {
        self.signing = signing
        self.projects = projects
    }

    package func respond(to request: Request) async -> Response {
        do throws(EnvelopeError) {
            let body = try request.json()
            guard let id = body["project"]?.string, let type = body["typ"]?.string,
                let claims = body["claims"], body.members?.count == 3
            else {
                let actual = body.members?.map(\.name) ?? []
                throw .invalid([
                    .required("", actual: actual, expected: ["project", "typ", "claims"])
                ])
            }
            let project = projects.all.first { $0.settings.id.text.isSame(as: id) }
            guard let project else { throw EnvelopeError(.notFound, "no such project") }
            let token: [UInt8]
            do { token = try signing.sign(type: type, claims: claims, for: project) } catch {
                throw EnvelopeError(error)
            }
            var writer = JSONWriter(reserving: token.count + 32)
            writer.object { $0.member("token", String(decoding: token, as: UTF8.self)) }
            return .result(writer.bytes)
        } catch { return .envelope(error) }
    }
}

extension EnvelopeError {
    fileprivate init(_ refusal: InnerSigning.Refusal) {
        switch refusal {
        case .type: self = .invalid([.general("/typ", "this type is not signed here")])
        case .notAnObject: self = .invalid([.general("/claims", "must be an object")])
        case .claim(let name):
            self = .invalid([.general("/claims/\(name)", "this claim is not taken")])
        case .signing(let why): self.init(.unexpectedError, "try again later", cause: "\(why)")
        }
    }
}
