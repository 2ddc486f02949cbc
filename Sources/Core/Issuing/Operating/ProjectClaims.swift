internal import Domain

/// What a document takes that no other project may have (decisions 0124 and 0243).
struct ProjectClaims {
    /// Those of its feed among them.
    var hosts: [String]
    var cookie: AccessCookie?

    init(of settings: ProjectSettings) {
        hosts = settings.allHosts
        cookie = settings.accessCookie
    }

    /// Of the document in force, if there is one.
    init(of document: [UInt8]?, by documents: any ProjectDocuments) {
        hosts = document.map(documents.hosts) ?? []
        cookie = document.flatMap(documents.accessCookie)
    }

    /// Without what `former` had already; nil when nothing is left.
    func beyond(_ former: Self) -> Self? {
        var new = self
        if Set(former.hosts).isSuperset(of: hosts) { new.hosts = [] }
        if cookie == former.cookie { new.cookie = nil }
        return new.hosts.isEmpty && new.cookie == nil ? nil : new
    }
}
