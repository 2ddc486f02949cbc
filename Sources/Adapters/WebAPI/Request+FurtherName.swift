internal import Domain
internal import HTTPServer
internal import Issuing
internal import OAuth

extension Request {
    /// To the same address at the issuer's own name; nil where it was asked there, or is no visit.
    ///
    /// Cookies are of one name, and so are the links of mails and the `Origin` of a form: at a
    /// further one of `http.hosts` nobody would be signed in, and no form taken (WireContract 1.1).
    func wayToIssuer(of project: Project) -> Response? {
        guard method == .get || method == .head, project.settings.hosts.count > 1,
            let own = Origin(project.issuer)?.host.text, !own.utf8.elementsEqual(host.utf8)
        else { return nil }
        let question = query.isEmpty ? "" : "?\(String(decoding: query, as: UTF8.self))"
        return Response.redirect("\(project.issuer)\(path)\(question)")
    }
}
