internal import HTTPServer
package import Issuing

/// `GET /assets/{name}`: style sheet, icon and the two scripts, cached for ever under their hash.
package struct AssetRoute: Route {
    package static var paths: [String] { ["/assets/{name}"] }
    package static var methods: [Method] { [.get] }
    package static var errorForm: ErrorForm { .bare }
    package static var needsTime: Bool { false }

    package init() {}

    package func respond(to request: Request, in project: Project) async -> Response {
        guard let asset = request.parameters["name"].flatMap(StaticAsset.init(fileName:)) else {
            return .empty(.notFound)
        }
        var response = Response(.ok, contentType: asset.contentType, body: asset.bytes)
        response.caching = .immutable
        response.add("X-Content-Type-Options", "nosniff")
        response.add("Cross-Origin-Resource-Policy", "same-origin")
        return response
    }
}
