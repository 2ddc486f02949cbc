extension ProjectDocumentRefusalTests {
    private static func name(_ sentence: String, _ escape: String) -> Row {
        Row(
            sentence,
            "name: Bank",
            "name: \"Bank\\\(escape)Bank\"",
            "name: must not break its line, nor turn the direction of what is written after it"
        )
    }

    private static func step(_ name: String) -> Row {
        Row(
            "the client_id \(name), which is a step in a path",
            "client_id: app",
            "client_id: \(name)",
            "oauth.clients[0].client_id: must not be `.` or `..`: browsers leave these out of a "
                + "link's path"
        )
    }

    private static func cookies(of domain: String, at host: String) -> Row {
        Row(
            "the cookie domain \(domain), under which anybody registers",
            origin,
            "{public_origin: \"https://\(host)\", cookie_domain: \(domain)}",
            "http.cookie_domain: \(domain) is a public suffix: everybody's cookies"
        )
    }

    /// What no list of ours has.
    static let registries = [
        cookies(of: "co.ke", at: "auth.bank.co.ke"),
        cookies(of: "com.eg", at: "auth.bank.com.eg"),
        cookies(of: "gov.in", at: "auth.tax.gov.in"),
    ]

    static let names = [
        name("a name that breaks its line", "u2028"),
        name("a name with a control character of eight bits", "u0085"),
        name("a name that turns the words after it round", "u202E"),
        step("."),
        step(".."),
    ]
}
