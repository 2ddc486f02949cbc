internal import Issuing
internal import OAuth

/// A route that other sites post to: the same request by GET, with a sealed reference in place of
/// its parameters, because a Lax cookie does not come with a cross-site POST (WireContract 4).
struct ReferredForm: Sendable {
    /// A name of ours: somebody else's `reference` is ignored (RFC 6749 section 3.1).
    private static let reference = "x_reference"

    let path: String
    let purpose: SealedReferences.Purpose
    /// What is kept; all else is ignored anyway.
    let parameters: Set<String>
    /// The refusal of a request that does not fit into a URL.
    let refusal: StaticString

    /// What must not be sent twice: neither by the client nor by us.
    var singles: Set<String> { parameters.union([Self.reference]) }

    /// The answer to a POST.
    ///
    /// - Throws: a page 400 when it is too long.
    func refer(_ visit: PageVisit) throws(OAuthError) -> Response {
        let known = visit.form.fields.filter { field in
            parameters.contains { field.name.elementsEqual($0.utf8) }
        }
        let now = visit.services.context.commands.clock.now
        let form = Form.encode(known)
        guard let sealed = visit.services.references.seal(form, for: purpose, at: now) else {
            throw OAuthError(.invalidRequest, "the request is too long", refusal: refusal)
        }
        let text = String(decoding: sealed, as: UTF8.self)
        return .redirect("\(path)?\(Self.reference)=\(text)\(visit.look.query)")
    }

    /// The parameters of a GET: its own, or those that its reference stands for.
    ///
    /// - Throws: a page 400 for a reference that is altered or too old.
    func form(of visit: PageVisit) throws(OAuthError) -> Form {
        guard let reference = visit.form.single(Self.reference) else { return visit.form }
        let now = visit.services.context.commands.clock.now
        guard let bytes = visit.services.references.open(reference, for: purpose, at: now),
            let form = try? Form(parsing: bytes)
        else { throw .expiredForm }
        return form
    }
}
