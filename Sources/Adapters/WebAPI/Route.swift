internal import HTTPServer
package import Issuing
package import OAuth

/// One route of the public listener: parses, calls one use case, renders.
package protocol Route: Sendable {
    /// Exact paths; a segment `{name}` takes any one segment, a last one `{name...}` all that are
    /// left.
    static var paths: [String] { get }

    /// What it answers; `HEAD` goes with `GET`, `OPTIONS` with all.
    static var methods: [Method] { get }

    /// Larger bodies are refused before they are read.
    static var bodyBytesMax: Int { get }
    static var errorForm: ErrorForm { get }

    /// The same, where it is another for one method; before a method is known it is that above.
    static func errorForm(_ method: Method) -> ErrorForm
    static var crossOrigin: CrossOrigin { get }
    static var headAnswer: HeadAnswer { get }

    /// A long poll takes 30 s.
    static var handlerTime: Duration { get }

    /// In which order such a request is turned away when there is too much to do
    /// (Architecture 7).
    static func slots(_ method: Method) -> Slots

    /// Whether it decides anything, or says whether something still lives: false for files and
    /// documents.
    static var needsTime: Bool { get }

    /// Whether a suspended project answers it, too: it ends something, or only tells what there is
    /// (decision 0201).
    static var outlivesSuspension: Bool { get }

    /// Hears that a request was refused instead of it, by a wrong clock or a suspension: it counts
    /// its own refusals.
    func passedOver(_ request: Request, _ error: OAuthError)

    /// `project` is the one the request's `Host` names.
    func respond(to request: Request, in project: Project) async -> Response
}

extension Route {
    package static var bodyBytesMax: Int { 64 * 1024 }
    package static var errorForm: ErrorForm { .oauth }
    package static func errorForm(_ method: Method) -> ErrorForm { errorForm }
    package static var crossOrigin: CrossOrigin { .none }
    package static var headAnswer: HeadAnswer { .likeGet }
    package static var handlerTime: Duration { .seconds(5) }
    package static func slots(_ method: Method) -> Slots { .usual }
    package static var needsTime: Bool { true }
    package static var outlivesSuspension: Bool { !needsTime }
    package func passedOver(_ request: Request, _ error: OAuthError) {}
}
