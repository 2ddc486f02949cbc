/// What stands behind the server: decides on a head, answers a request.
package protocol RequestHandler: Sendable {
    /// Looks at a head before its body is read, on the connection's loop; must be quick.
    ///
    /// A refusal (404, 405, 421, …) leaves the connection open when the rest can be skipped.
    func admit(_ head: RequestHead) -> Admission

    /// Answers, on the connection's loop. Cancelled when the client leaves or time is up; what it
    /// returns then is dropped.
    func respond(to request: Request) async -> Response

    /// What a request gets that finds no free slot; nothing was done for it.
    func overloaded(_ head: RequestHead) -> Response
}

extension RequestHandler {
    /// An empty 503 with `Retry-After: 1`.
    package func overloaded(_ head: RequestHead) -> Response { .overloaded }
}
