import OAuth
import Runtime

/// The admin API of a token-issuer (WireContract 13.3), for commands that change something.
struct AdminClient: Sendable {
    /// What `--help` says about the options that `init` takes.
    static let help = """
          --admin URL       the admin listener ($ADMIN_URL)
          --token-file F    a file with the operator's token, mode 0600 ($ADMIN_TOKEN_FILE, else
                            the token in $ADMIN_TOKEN); with neither listener nor token named,
                            both are those of .chancery/dev.env
          --project ID      the project; may be left out when there is one
        """

    private static let tokenBytesMax = 4096

    private let origin: String
    private let token: String
    private var project: String?
    /// How often one request waits for its turn.
    private var waitsMax = 5

    /// Takes `--admin`, `--token-file` and `--project`.
    init(_ arguments: inout Arguments) throws(UsageError) {
        let url = try arguments.value("--admin") ?? Environment.value("ADMIN_URL")
        project = try arguments.value("--project")
        let file = try arguments.value("--token-file") ?? Environment.value("ADMIN_TOKEN_FILE")
        let named = Environment.value("ADMIN_TOKEN")
        // Of the folder we are in both or neither: an operator's token goes to no address that
        // somebody else has left there.
        let isNamed = url != nil || file != nil || named != nil
        let dev = DevEnvironment(parsing: isNamed ? "" : Self.folderFacts())
        origin = url ?? dev["ADMIN_URL"] ?? ""
        token =
            if let file { try Self.token(in: file) } else { named ?? dev["ADMIN_TOKEN"] ?? "" }
    }

    /// What `chancery dev` has written in the folder we are in; nothing of what is somebody else's.
    private static func folderFacts() -> String {
        let path = ".chancery/dev.env"
        do throws(FileReading.Distrust) {
            let bytes = try FileReading.unaskedBytes(at: path, bytesMax: 1 << 20)
            return String(validating: bytes, as: UTF8.self) ?? ""
        } catch {
            if error != .unread(.missing) {
                Terminal.complain("chancery: \(path) is not taken: \(error)")
            }
            return ""
        }
    }

    /// A token is a secret like any other (Security 6): up to the first white space of a
    /// file that is ours alone.
    private static func token(in file: String) throws(UsageError) -> String {
        do throws(FileReading.Failure) {
            let content = try FileReading.secret(at: file, bytesMax: tokenBytesMax)
            return content.withBytes { bytes in
                let all = bytes.indices.map { bytes[$0] }
                return String(decoding: all.prefix { $0 > 0x20 }, as: UTF8.self)
            }
        } catch { throw UsageError(sentence: "the token file \(file): \(error)") }
    }

    init(origin: String, token: String) {
        self.origin = origin
        self.token = token
        project = nil
    }

    /// Whether there is an admin listener to talk to.
    var isNamed: Bool { !origin.isEmpty }

    /// What the admin listener answers at a path of its own, such as `/readyz`.
    func raw(_ path: String, on loop: Loop) async throws(CommandFailure) -> HTTPAnswer {
        try await HTTPConnection.exchange(.get(path), with: origin, on: loop)
    }

    /// The same, which does not wait for its turn.
    var impatient: Self {
        var client = self
        client.waitsMax = 0
        return client
    }

    /// The same, for one project.
    func of(_ project: String) -> Self {
        var client = self
        client.project = project
        return client
    }

    /// The ids of the projects there are, or of the one that `--project` names, and whether the
    /// process serves them.
    func projects(on loop: Loop) async throws(CommandFailure) -> [(id: String, isServed: Bool)] {
        if let project { return [(project, true)] }
        return try await projectList(on: loop).compactMap { project in
            project["id"]?.string.map { ($0, project["served"] != false) }
        }
    }

    /// What the admin API says of each project that there is.
    func projectList(on loop: Loop) async throws(CommandFailure) -> [JSON] {
        try await list("/projects", "projects", on: loop)
    }

    /// What the admin API lists at a path, under `member` of its result.
    func list(
        _ path: String,
        _ member: String,
        query: [(name: String, value: String)] = [],
        on loop: Loop
    ) async throws(CommandFailure) -> [JSON] {
        let answer = try await call("GET", path, query: query, on: loop)
        return try Self.list(member, of: answer.json?["result"])
    }

    /// As above, of a result that says more.
    static func list(_ member: String, of result: JSON?) throws(CommandFailure) -> [JSON] {
        guard case .array(let items) = result?[member] else {
            throw CommandFailure("the admin API answered no list of \(member)")
        }
        return items
    }

    /// What `--project` says; nil when it was not given.
    var namedProject: String? { project }

    /// Sends a request and answers what came, if that was a success.
    ///
    /// `query` holds the fields beside `project`.
    func call(
        _ method: String,
        _ path: String,
        query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        on loop: Loop
    ) async throws(CommandFailure) -> HTTPAnswer {
        guard !origin.isEmpty else {
            throw CommandFailure(
                "there is no admin listener to talk to",
                remedy: "Name it with --admin http://127.0.0.1:PORT, or in ADMIN_URL.",
                status: 64
            )
        }
        let fields = query + (project.map { [("project", $0)] } ?? [])
        let suffix = fields.isEmpty ? "" : "?\(HTTPRequest.encoded(fields))"
        let request = HTTPRequest(
            method: method,
            target: "/admin/v1\(path)\(suffix)",
            headers: [("Authorization", "Bearer \(token)")] + headers,
            body: body
        )
        let answer = try await patiently(request, on: loop)
        guard 200..<300 ~= answer.status else { throw Self.failure(answer) }
        return answer
    }

    /// Long lists take more requests than a minute lets through: what was not let in is sent again
    /// when it may be.
    private func patiently(_ request: HTTPRequest, on loop: Loop)
        async throws(CommandFailure) -> HTTPAnswer
    {
        var waits = 0
        while true {
            let answer = try await HTTPConnection.exchange(request, with: origin, on: loop)
            guard answer.status == 429, waits < waitsMax,
                let seconds = answer["retry-after"].flatMap({ Int64($0) }), 0...60 ~= seconds
            else { return answer }
            waits += 1
            Terminal.complain("The admin API lets no more in now: \(seconds) s …")
            let end = MonotonicInstant.now().advanced(by: .seconds(max(1, seconds)))
            try? await loop.sleep(until: end)
        }
    }

    /// The same with a JSON body.
    func post(_ path: String, _ body: JSON, on loop: Loop) async throws(CommandFailure) -> JSON {
        let answer = try await call(
            "POST",
            path,
            headers: [("Content-Type", "application/json")],
            body: JSONWriter.write(body),
            on: loop
        )
        return answer.json?["result"] ?? .null
    }

    /// What a refusal says, and what to do about it.
    private static func failure(_ answer: HTTPAnswer) -> CommandFailure {
        let error = answer.json?["error"]
        // Ours says what is missing; the empty one, that nobody may ask anything there.
        let isNowhere = answer.status == 404 && error == nil
        let refusal = error?["refusal"]?.string
        var lines = [sentence(answer, refusal, isNowhere: isNowhere)]
        if case .array(let causes) = error?["info"]?["causes"] {
            lines += causes.map { cause in
                let place = cause["location"]?.string ?? ""
                return "  \(place): \(cause["details"]?["msg"]?.string ?? "is not valid")"
            }
        }
        // The server's log says more, under this name.
        if answer.status >= 500, let id = answer["x-request-id"] {
            lines.append("  request_id \(id)")
        }
        let status: Int32 =
            switch (answer.status, refusal) {
            case (500, unwritable): 78
            // Whoever tries again at 75 would do it twice.
            case (503, outcomeUnknown): 1
            case (429, _), (503, _): 75
            default: 1
            }
        var failure = CommandFailure(
            lines.joined(separator: "\n"),
            remedy: remedy(answer, refusal, isNowhere: isNowhere),
            status: status
        )
        failure.httpStatus = isNowhere ? nil : answer.status
        failure.reason = error?["reason"]?.string
        return failure
    }

    /// The refusal of a node that cannot write its keys.
    private static let unwritable = "AD-001"
    /// The refusal that is none: the answer of the log was lost, or that of the route too late, and
    /// it may have happened.
    private static let outcomeUnknown = "ST-002"

    /// What the server says, or what its answer means.
    private static func sentence(_ answer: HTTPAnswer, _ refusal: String?, isNowhere: Bool)
        -> String
    {
        if isNowhere { return "there is no admin API at this address" }
        if refusal == outcomeUnknown { return "the server could not learn whether it happened" }
        return answer.json?["error"]?["message"]?.string
            ?? "the admin API answered \(answer.status)"
    }

    /// What to do about a refusal; nil when its sentence says that.
    private static func remedy(_ answer: HTTPAnswer, _ refusal: String?, isNowhere: Bool)
        -> String?
    {
        switch answer.status {
        case 400 where refusal == "AD-002":
            "Name it: --project ID. `chancery config list` says which there are."
        case 401: "The token is missing or not an operator's: --token-file F."
        case 403: "The operator's role does not allow this (admin.operators in its settings)."
        case 404 where isNowhere:
            "Name the admin listener of a token-issuer, with admin.operators in its settings: "
                + "--admin URL."
        case 409: "Look at how it is now, then decide."
        case 429: "Wait \(answer["retry-after"] ?? "60") seconds, then try again."
        case 500 where refusal == unwritable: "Let the token-issuer write there, then do it again."
        case 503 where refusal == outcomeUnknown: CommandFailure.lookFirst
        case 503: "The server cannot do it now; try again."
        default: nil
        }
    }
}
