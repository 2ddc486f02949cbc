import Foundation
import Synchronization
import TestSupport

/// Runs the steps of a file against all nodes in turn and says what was not as expected.
struct ScriptRunner {
    /// The project that is asked.
    private var site: Site
    private var values: [String: String]
    private var browsers: [String: Browser] = [:]
    private var browser: String = "first"
    private var keys: [String: PhoneKey] = [:]
    private(set) var differences: [String] = []

    init(_ stack: RunningStack) {
        site = Site(stack)
        let random = UUID().uuidString.lowercased().filter { $0 != "-" }
        values = stack.facts
        values["issuer"] = site.origin
        values["escaped.issuer"] = SignIn.escaped(site.origin)
        values["random"] = random
        values["email"] = "user-\(random.prefix(16))@example.com"
        values["verifier"] = SignIn.verifier
        values["challenge"] = SignIn.challenge
        for (name, fact) in stack.facts where name.hasPrefix("CLIENT_") {
            let client = name.dropFirst("CLIENT_".count).lowercased()
            let parts = fact.split(separator: ":", maxSplits: 1).map(String.init)
            values["\(client).secret"] = parts.count > 1 ? parts[1] : ""
            values["basic.\(client)"] = "Basic \(Data(fact.utf8).base64EncodedString())"
        }
        for (client, uri) in SignIn.redirectURIs {
            values["\(client).redirect_uri"] = SignIn.escaped(uri)
        }
    }

    mutating func run(_ script: Script) async {
        for step in script.steps where differences.isEmpty {
            do {
                switch step {
                case .prepare(let line, let words): try await prepare(words, line)
                case .exchange(let exchange): try await run(exchange)
                }
            } catch { differences.append("\(error)") }
        }
    }

    private mutating func run(_ exchange: Exchange) async throws {
        let place = exchange.place
        if exchange.method == "JWT" {
            let token = try exchange.target.filled(values)
            guard let said = WireAnswer(decoding: token) else {
                return differences.append("\(place): not a JWT: \(token)")
            }
            return try compareBody(exchange, said, place)
        }
        let answer = try await withBrowser { browser, values in
            try await browser.send(
                exchange.method,
                try exchange.target.filled(values),
                headers: try exchange.headers.map { ($0.name, try $0.value.filled(values)) },
                body: try exchange.body.filled(values),
                isRepeated: exchange.status != 503
            )
        }
        values["body"] = answer.text
        if answer.status != exchange.status {
            return differences.append(
                "\(place): status \(answer.status), not \(exchange.status): \(answer.text)"
            )
        }
        for name in exchange.absentHeaders where answer[name] != nil {
            differences.append("\(place): header \(name) is there: \(answer[name] ?? "")")
        }
        for expected in exchange.expectedHeaders {
            // One of several will do: an answer may set two cookies.
            let found = answer.headers.filter { $0.name == expected.name }.map(\.value)
            let captured = try found.compactMap { try expected.value.match($0, values) }.first
            guard let captured else {
                let shown = found.isEmpty ? "absent" : found.joined(separator: " | ")
                differences.append("\(place): header \(expected.name) is \(shown)")
                continue
            }
            values.merge(captured) { $1 }
        }
        try compareBody(exchange, answer, place)
    }

    private mutating func compareBody(
        _ exchange: Exchange,
        _ answer: WireAnswer,
        _ place: String
    ) throws {
        if let json = exchange.json {
            let expected = try JSONSerialization.jsonObject(with: Data(json.utf8))
            let actual = try? JSONSerialization.jsonObject(with: answer.body)
            var subset = JSONSubset(values)
            subset.compare(expected, actual)
            differences += subset.differences.map { "\(place): \($0)" }
            values.merge(subset.captured) { $1 }
        }
        for text in exchange.contained {
            let anywhere = Template("{{*}}").parts + text.parts + Template("{{*}}").parts
            guard let captured = try Template(parts: anywhere).match(answer.text, values) else {
                differences.append("\(place): the body does not contain \(text.parts)")
                continue
            }
            values.merge(captured) { $1 }
        }
    }

    private mutating func prepare(_ words: [String], _ line: Int) async throws {
        let options = Dictionary(
            words.dropFirst().compactMap { word -> (String, String)? in
                guard let sign = word.firstIndex(of: "=") else { return nil }
                return (String(word[..<sign]), String(word[word.index(after: sign)...]))
            }
        ) { $1 }
        let name = words.dropFirst().first ?? ""
        switch words.first {
        case "set": values[name] = try Template(words.last ?? "").filled(values)
        case "browser": browser = name
        case "project": try await enter(name)
        case "wait": try await Task.sleep(for: .milliseconds(Int(name) ?? 0))
        case "mail":
            let address = try Template(options["to"] ?? "{{email}}").filled(values)
            let page = values["MAIL_PAGE"] ?? ""
            let used = SignIn.approved.withLock { $0 }
            let link = try await MailBox(page: page).newestLink(to: address, except: used)
            values[name] =
                link.hasPrefix(site.origin)
                ? String(link.dropFirst(site.origin.count)) : link
        case "notices": try await notices(subject: name, options)
        case "made":
            let id = try Template(options["of"] ?? "").filled(values)
            values[name] = MadeUpToken.text(options["kind"] ?? "", of: id)
        case "key": keys[name] = try PhoneKey(options["alg"] ?? "ES256")
        case "jwt": try sign(name, options)
        case "code": _ = try await code(name, options)
        case "session": try await session(name, options)
        default: throw Script.Mistake(line: line, why: "there is no preparation \(words)")
        }
    }

    /// `@ project NAME`: from here on the test project of that name, with the keys of its servers.
    private mutating func enter(_ name: String) async throws {
        let project = try await TestProject.named(name)
        site = project.site
        values["issuer"] = site.origin
        values["escaped.issuer"] = SignIn.escaped(site.origin)
        keys.merge(project.keys) { $1 }
        browsers = [:]
    }

    /// `@ notices "SUBJECT" count=1 says=TEXT`: so many mails came, and each of them says that.
    private mutating func notices(subject: String, _ options: [String: String]) async throws {
        let box = MailBox(page: values["MAIL_PAGE"] ?? "")
        let texts = try await box.texts(to: values["email"] ?? "", subject: subject)
        let count = Int(options["count"] ?? "") ?? 1
        if texts.count != count {
            differences.append("\(texts.count) mails \"\(subject)\", not \(count)")
        }
        guard let expected = options["says"] else { return }
        for text in texts where !text.contains(expected) {
            differences.append("a mail does not say \(expected): \(text)")
        }
    }

    /// `@ jwt NAME key=K typ=T challenge=C jwk=no jwk.x=… header.x=… claim.y=… claim.z=now+60`.
    private mutating func sign(_ name: String, _ options: [String: String]) throws {
        let owner = options["key"] ?? ""
        guard let key = keys[owner] else { throw Template.Unknown(name: owner) }
        values[name] = try key.jwt(try options.mapValues { try Template($0).filled(values) })
        values["\(owner).jkt"] = key.thumbprint
    }

    private mutating func code(_ name: String, _ options: [String: String]) async throws -> String {
        let signIn = SignIn(
            mailPage: site.mailPage,
            client: options["client"] ?? "app",
            scope: options["scope"] ?? "openid offline_access",
            email: try Template(options["email"] ?? "{{email}}").filled(values)
        )
        let code = try await withBrowser { browser, _ in try await signIn.code(&browser) }
        values[name] = code
        return code
    }

    /// Signs in and redeems the code.
    private mutating func session(_ name: String, _ options: [String: String]) async throws {
        let client = options["client"] ?? "app"
        let code = try await code("\(name).code", options)
        var fields = [
            ("grant_type", "authorization_code"), ("code", code),
            ("redirect_uri", SignIn.redirectURIs[client] ?? ""),
            ("code_verifier", SignIn.verifier), ("client_id", client),
        ]
        if let secret = values["\(client).secret"], !secret.isEmpty {
            fields.append(("client_secret", secret))
        }
        // Authentication by header: the demo's confidential client is registered for it.
        let credentials = values["basic.\(client)"] ?? ""
        let isSecret = fields.last?.0 == "client_secret"
        let headers = isSecret ? [(name: "Authorization", value: credentials)] : []
        if isSecret { fields.removeLast(2) }
        var caller = site.browser()
        let body = SignIn.form(fields)
        let answer = try await caller.send("POST", "/oauth2/token", headers: headers, body: body)
        guard answer.status == 200 else {
            throw SignIn.Failed(description: "no tokens: \(answer.status) \(answer.text)")
        }
        for member in ["access_token", "refresh_token", "id_token", "device_secret"] {
            values["\(name).\(member)"] = answer.member(member)
        }
    }

    private mutating func withBrowser<Answer>(
        _ body: (inout Browser, [String: String]) async throws -> Answer
    ) async throws -> Answer {
        var current = browsers[browser] ?? site.browser()
        let result: Result<Answer, any Error>
        do { result = .success(try await body(&current, values)) } catch {
            result = .failure(error)
        }
        browsers[browser] = current
        return try result.get()
    }
}
