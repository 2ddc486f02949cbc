internal import HTTPServer
package import Issuing

/// One route of the admin API: form B, for operators (WireContract 13.3).
package protocol AdminRoute: Sendable {
    /// As of a `Route`.
    static var paths: [String] { get }
    static var methods: [Method] { get }
    static var bodyBytesMax: Int { get }

    /// The least an operator must be.
    static func role(for method: Method) -> Operator.Role

    func respond(to request: AdminRequest) async -> Response
}

extension AdminRoute {
    package static var bodyBytesMax: Int { 1024 * 1024 }
}
