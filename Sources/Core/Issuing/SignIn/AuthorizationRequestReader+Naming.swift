package import Domain
package import OAuth

// Whose limits a request counts for (Security 9, decision 0242).
extension AuthorizationRequestReader {
    /// The client that a request may come from: known, and named beside an address of its own, by
    /// steps 1 to 4 of WireContract 4.2; nil for any other, as whoever likes may write a name.
    package static func asking(_ form: Form, in project: Project) -> ClientSettings? {
        guard let client = try? Self.client(RequestParameters(form), in: project),
            !client.requiresPushedRequests, isAnswered(form, to: client, in: project)
        else { return nil }
        return client
    }

    /// Whether what a request is answered with goes to an address of `client`.
    ///
    /// Not that of a reference, which says no address: what was pushed counted when it was.
    package static func isAnswered(_ form: Form, to client: ClientSettings, in project: Project)
        -> Bool
    {
        guard !isReference(form) else { return false }
        let request = RequestParameters(form)
        do throws(OAuthError) {
            try checkSizes(request)
            if OpenPreAuthenticatedURL.isMeant(form) {
                _ = try urlRedirectURI(request, of: client)
            } else if OpenAppSession.isMeant(form, in: project) {
                _ = try appSessionTarget(request, of: client, in: project)
            } else {
                _ = try redirectURI(request, of: client)
            }
            return true
        } catch { return false }
    }
}
