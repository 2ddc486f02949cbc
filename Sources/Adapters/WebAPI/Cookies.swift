internal import Domain
internal import Issuing

/// The cookies of a browser (wire.md section 8.1, RFC 6265 section 5).
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

    private var transactionName: String { name("chancery_tx") }
    private var sessionName: String { name("chancery_session") }
    private var appSessionName: String { name("chancery_app_session") }

    private func name(_ name: String) -> String { isSecure ? "__Host-\(name)" : name }

    func transaction(_ request: Request, _ digester: any Digester) -> OpaqueToken? {
        value(transactionName, request).flatMap {
            OpaqueToken(.transaction, reading: $0, digester: digester)
        }
    }

    func session(_ request: Request, _ digester: any Digester) -> OpaqueToken? {
        value(sessionName, request).flatMap {
            OpaqueToken(.browserSession, reading: $0, digester: digester)
        }
    }

    func appSession(_ request: Request, _ sessions: AppSessions, in project: Project)
        -> AppSession?
    {
        value(appSessionName, request).flatMap { sessions.read($0, in: project) }
    }

    func set(_ change: CookieChange, on response: inout Response) {
        switch change {
        case .transaction(let token):
            set(transactionName, token.text, Int64(Self.transactionSeconds), on: &response)
        case .session(let token, let seconds):
            set(sessionName, token.text, seconds, on: &response)
        case .endSession: set(sessionName, [], 0, on: &response)
        case .appSession(let text): set(appSessionName, text, nil, on: &response)
        case .endAppSession: set(appSessionName, [], 0, on: &response)
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
        guard let domain = settings.cookieDomain else { return }
        let value = String(decoding: text, as: UTF8.self)
        let name = "\(settings.cookiePrefix)app_access_token"
        let secure = isSecure ? "; Secure" : ""
        let age = seconds.map { "; Max-Age=\($0)" } ?? ""
        response.add(
            "Set-Cookie",
            "\(name)=\(value); Path=/\(age); Domain=\(domain)\(secure); HttpOnly; SameSite=Lax"
        )
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
        var found: [UInt8]?
        for header in headers where header.count <= bytesMax {
            for pair in header.split(separator: UInt8(ascii: ";")) {
                let trimmed = pair.drop { $0 == 0x20 || $0 == 0x09 }
                guard trimmed.starts(with: prefix) else { continue }
                guard found == nil else { return nil }
                found = Array(trimmed.dropFirst(prefix.count))
            }
        }
        return found
    }
}
