internal import OAuth

/// Where cookies of web clients may be set (`http.cookie_domain`, Security 4.8).
enum CookieDomain {
    /// Suffixes under which strangers register names.
    ///
    /// The whole list is the browsers': they drop such a cookie; these are the common ones, to
    /// tell the operator early.
    private static let publicSuffixes: Set<String> = [
        "ac.uk", "co.uk", "gov.uk", "ltd.uk", "me.uk", "org.uk", "plc.uk", "com.au", "net.au",
        "org.au", "co.nz", "org.nz", "co.jp", "ne.jp", "or.jp", "com.br", "net.br", "com.cn",
        "net.cn", "org.cn", "com.hk", "org.hk", "com.sg", "com.my", "com.tw", "com.tr", "com.mx",
        "com.ar", "co.in", "net.in", "org.in", "co.kr", "or.kr", "co.za", "co.id", "co.il",
        "co.th", "com.ua", "com.pl", "com.vn", "com.ph", "github.io", "gitlab.io", "pages.dev",
        "workers.dev", "vercel.app", "netlify.app", "herokuapp.com", "web.app", "firebaseapp.com",
        "azurewebsites.net", "cloudfront.net", "appspot.com", "run.app", "fly.dev", "onrender.com",
    ]

    /// What registries of countries let others register under, as in `co.ke`.
    private static let sharedLabels: Set<String> = [
        "ac", "co", "com", "edu", "go", "gov", "ne", "net", "or", "org",
    ]

    /// Whether `domain` is such a name of a country, which the list need not have.
    static func isOfRegistry(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count == 2 && labels[1].utf8.count == 2
            && sharedLabels.contains(String(labels[0]))
    }

    /// What a domain is under which strangers register names.
    static func sentence(on suffix: String) -> String {
        "\(suffix) is a public suffix: everybody's cookies"
    }

    /// What is wrong with `domain`; nil when nothing is.
    ///
    /// In insecure development the issuer's own host will do: cookies know no ports.
    static func problem(with domain: String, issuer: URIHost?, isDevelopment: Bool = false)
        -> String?
    {
        guard case .name(let name)? = URIHost(Array(domain.utf8)[...]) else {
            return "must be a host name in lower case, such as example.com"
        }
        if isDevelopment, let issuer, issuer == .name(name), issuer.isForDevelopment { return nil }
        guard name.utf8.contains(UInt8(ascii: ".")), !publicSuffixes.contains(name) else {
            return sentence(on: name)
        }
        guard case .name(let host)? = issuer, host.utf8.count > name.utf8.count,
            host.utf8.suffix(name.utf8.count + 1).elementsEqual(".\(name)".utf8)
        else { return "must be a parent of the host of public_origin" }
        return nil
    }
}
