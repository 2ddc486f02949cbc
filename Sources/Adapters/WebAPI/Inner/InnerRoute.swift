/// One route of the inner listener: form B, for our own processes on a socket only they can open.
package protocol InnerRoute: Sendable {
    static var path: String { get }
    static var bodyBytesMax: Int { get }

    /// Answers a `POST`.
    func respond(to request: Request) async -> Response
}
