/// What stands behind the server: decides on a head, answers a request.
package protocol RequestHandler: Sendable {
    /// Looks at a head before its body is read, on the connection's loop; must be quick.
    ///
    /// A refusal (404, 405, 421, …) leaves the connection open when the rest can be skipped.
    func admit(_ head: RequestHead, from peer: Peer) -> Admission

    /// Answers, on the connection's loop. Cancelled when the client leaves or time is up; what it
    /// returns then is dropped.
    func respond(to request: Request) async -> Response

    /// Dresses the answer to a request that the server refuses by itself: one that breaks the
    /// grammar or a bound, came too slowly, found no free slot or was not answered in time.
    ///
    /// Must be quick. Whether the connection closes is the server's business.
    func refused(_ request: RefusedRequest, from peer: Peer) -> Response
}

extension RequestHandler {
    /// An empty answer; 503 says when to try again.
    package func refused(_ request: RefusedRequest, from peer: Peer) -> Response {
        request.status == .serviceUnavailable ? .overloaded : Response(request.status)
    }
}
