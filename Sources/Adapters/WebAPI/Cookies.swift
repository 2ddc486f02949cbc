internal import Domain
internal import Issuing

/// The cookies of a browser (WireContract 8.1, RFC 6265 section 5).
struct Cookies {
    /// Over plain http, which only development has, a browser takes neither prefix nor `Secure`.
    private let isSecure: Bool
    private let settings: ProjectSettings

    init(of project: Project) {
        isSecure = project.issuer.utf8.starts(with: "https:".utf8)
        settings = project.settings
    }

    private static let bytesMax = 8 * 1024
    private static let transactionSeconds = 3600
    /// As many as there are names: they are 6 KiB, within what is read of a head.
    private static let transactionsMax = 64

    /// One name for each secret: an answer takes no other answer's away (decision 0158).
    private func transactionName(_ token: OpaqueToken) -> String {
        let octet = token.digest.bytes[0] & 0x3F
        let digits = Array("0123456789abcdef")
        return name("chancery_tx_\(digits[Int(octet >> 4)])\(digits[Int(octet & 15)])")
    }

    private var sessionName: String { name("chancery_session") }

    private func name(of kind: AppSession.Origin) -> String {
        switch kind {
        case .url: name("chancery_app_session")
        case .token: name("chancery_settings")
        }
    }

    private func name(_ name: String) -> String { isSecure ? "__Host-\(name)" : name }

    /// The binding secrets, each under its own name.
    func transactions(_ request: Request, _ digester: any Digester) -> [OpaqueToken] {
        let headers = request.headers.all("cookie")
        let prefix = Array(name("chancery_tx_").utf8)
        return Self.cookies(startingWith: prefix, in: headers, atMost: Self.transactionsMax)
            .compactMap { cookie in
                guard let value = cookie.value,
                    let token = OpaqueToken(.transaction, reading: value, digester: digester)
                else { return nil }
                return cookie.name == transactionName(token) ? token : nil
            }
    }

    func session(_ request: Request, _ digester: any Digester) -> OpaqueToken? {
        value(sessionName, request).flatMap {
            OpaqueToken(.browserSession, reading: $0, digester: digester)
        }
    }

    /// The views of apps' sessions, each under the name of its kind.
    ///
    /// The name of a URL's was that of both before (decision 0244): one for our own pages counts
    /// there, too, behind one under its own name.
    func appSessions(_ request: Request, _ sessions: AppSessions, in project: Project)
        -> [AppSession]
    {
        func view(_ kind: AppSession.Origin) -> AppSession? {
            value(name(of: kind), request).flatMap { sessions.read($0, in: project) }
        }
        let own = view(.token).flatMap { $0.origin == .token ? $0 : nil }
        return [own, view(.url)].compactMap(\.self)
    }

    /// Takes the binding secrets away: no page that was open goes on.
    func end(_ transactions: [OpaqueToken], on response: inout Response) {
        for token in transactions { set(transactionName(token), [], 0, on: &response) }
    }

    func set(_ change: CookieChange, on response: inout Response) {
        switch change {
        case .transaction(let token):
            set(transactionName(token), token.text, Int64(Self.transactionSeconds), on: &response)
        case .session(let token, let seconds):
            set(sessionName, token.text, seconds, on: &response)
        case .endSession: set(sessionName, [], 0, on: &response)
        case .appSession(let text, let kind): set(name(of: kind), text, nil, on: &response)
        case .endAppSessions:
            for kind in AppSession.Origin.allCases { set(name(of: kind), [], 0, on: &response) }
        case .accessToken(let text): setAccessToken(text, on: &response)
        case .endAccessToken: setAccessToken([], 0, on: &response)
        }
    }

    /// For the servers below `http.cookie_domain`; we never read it, siblings can write it.
    ///
    /// A session cookie: what it holds expires by itself.
    private func setAccessToken(
        _ text: [UInt8],
        _ seconds: Int64? = nil,
        on response: inout Response
    ) {
        guard let cookie = settings.accessCookie else { return }
        let value = String(decoding: text, as: UTF8.self)
        let secure = isSecure ? "; Secure" : ""
        let age = seconds.map { "; Max-Age=\($0)" } ?? ""
        response.add(
            "Set-Cookie",
            "\(cookie.name)=\(value); Path=/\(age); Domain=\(cookie.domain)\(secure); HttpOnly; "
                + "SameSite=Lax"
        )
    }

    /// Whether the browser has one, whoever wrote it.
    func hasAccessToken(_ request: Request) -> Bool {
        guard let cookie = settings.accessCookie else { return false }
        let start = Array("\(cookie.name)=".utf8)
        return !Self.pairs(startingWith: start, in: request.headers.all("cookie")).isEmpty
    }

    /// Deleting takes the same attributes as setting; without `seconds` it goes with the browser.
    private func set(
        _ name: String,
        _ value: [UInt8],
        _ seconds: Int64?,
        on response: inout Response
    ) {
        let text = String(decoding: value, as: UTF8.self)
        let secure = isSecure ? "; Secure" : ""
        let age = seconds.map { "; Max-Age=\($0)" } ?? ""
        response.add(
            "Set-Cookie",
            "\(name)=\(text); Path=/\(age)\(secure); HttpOnly; SameSite=Lax"
        )
    }

    /// The value of the one cookie `name`; nil when absent or sent twice.
    private func value(_ name: String, _ request: Request) -> [UInt8]? {
        Self.value(name, in: request.headers.all("cookie"))
    }

    static func value(_ name: String, in headers: [[UInt8]]) -> [UInt8]? {
        let prefix = Array(name.utf8) + [UInt8(ascii: "=")]
        let found = pairs(startingWith: prefix, in: headers)
        return found.count == 1 ? Array(found[0].dropFirst(prefix.count)) : nil
    }

    /// One of several whose names begin alike.
    struct Found {
        var name: String
        /// As `value(_:in:)` of its name; nil when absent or sent twice.
        var value: [UInt8]? { values == 1 ? first : nil }
        fileprivate var first: [UInt8] = []
        fileprivate var values = 0
    }

    /// Those whose names begin like this, in their order, each once; the headers are read once,
    /// however many there are.
    static func cookies(startingWith prefix: [UInt8], in headers: [[UInt8]], atMost count: Int)
        -> [Found]
    {
        var places: [ArraySlice<UInt8>: Int] = [:]
        var found: [Found] = []
        for pair in pairs(startingWith: prefix, in: headers) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let place = places[name] ?? found.count
            if place == found.count {
                guard place < count else { continue }
                places[name] = place
                found.append(Found(name: String(decoding: name, as: UTF8.self)))
            }
            guard name.count < pair.count else { continue }
            if found[place].values == 0 {
                found[place].first = Array(pair.dropFirst(name.count + 1))
            }
            found[place].values += 1
        }
        return found
    }

    private static func pairs(startingWith prefix: [UInt8], in headers: [[UInt8]])
        -> [ArraySlice<UInt8>]
    {
        headers.filter { $0.count <= bytesMax }.flatMap { header in
            header.split(separator: UInt8(ascii: ";"))
                .map { pair in pair.drop { $0 == 0x20 || $0 == 0x09 } }
                .filter { $0.starts(with: prefix) }
        }
    }
}
