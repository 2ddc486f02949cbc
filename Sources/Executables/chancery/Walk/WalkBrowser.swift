import OAuth
import Runtime

/// A client program with a cookie jar: every request over a connection of its own.
struct WalkBrowser: Sendable {
    let origin: String
    private let loop: Loop
    private var cookies: [String: String] = [:]

    init(_ origin: String, on loop: Loop) {
        self.origin = origin
        self.loop = loop
    }

    mutating func get(
        _ target: String,
        _ headers: [(name: String, value: String)] = []
    ) async throws(CommandFailure) -> HTTPAnswer {
        try await send(.get(path(target), headers + cookieHeader))
    }

    mutating func delete(_ target: String, _ headers: [(name: String, value: String)])
        async throws(CommandFailure) -> HTTPAnswer
    {
        let request = HTTPRequest(
            method: "DELETE",
            target: path(target),
            headers: headers + cookieHeader
        )
        return try await send(request)
    }

    mutating func post(
        _ target: String,
        _ form: [(name: String, value: String)],
        _ headers: [(name: String, value: String)] = []
    ) async throws(CommandFailure) -> HTTPAnswer {
        try await send(.post(path(target), form: form, headers + cookieHeader))
    }

    mutating func post(_ target: String, json: JSON) async throws(CommandFailure) -> HTTPAnswer {
        let type = (name: "Content-Type", value: "application/json")
        return try await send(
            HTTPRequest(
                method: "POST",
                target: path(target),
                headers: [type] + cookieHeader,
                body: JSONWriter.write(json)
            )
        )
    }

    private mutating func send(_ request: HTTPRequest) async throws(CommandFailure) -> HTTPAnswer {
        let answer = try await HTTPConnection.exchange(request, with: origin, on: loop)
        for header in answer.headers where header.name == "set-cookie" {
            let pair = header.value.prefix { $0 != ";" }
            guard let sign = pair.firstIndex(of: "=") else { continue }
            let value = String(pair[pair.index(after: sign)...])
            cookies[String(pair[..<sign])] = value.isEmpty ? nil : value
        }
        return answer
    }

    private var cookieHeader: [(name: String, value: String)] {
        guard !cookies.isEmpty else { return [] }
        let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return [("Cookie", pairs.joined(separator: "; "))]
    }

    /// A redirect may name the whole URL or the path alone.
    private func path(_ target: String) -> String {
        target.hasPrefix(origin) ? String(target.dropFirst(origin.count)) : target
    }
}
