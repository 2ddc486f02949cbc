import Foundation
import Runtime

/// What lines are prepared with: requests over the wire, outside of what is measured.
extension Bench {
    /// Sessions of a line about a grant.
    static let sessionsPerGrant = 1_024

    /// The answers, in the order of the requests; a refusal among them is a failure.
    ///
    /// Who is told to try again does: a busy node sheds, and changes nothing.
    func answers(to requests: [[UInt8]]) async throws -> [ArraySlice<UInt8>] {
        var answers = [ArraySlice<UInt8>](repeating: [], count: requests.count)
        var refusal: String?
        var next = 0
        var held = [Int](repeating: 0, count: Self.connections)
        _ = try await measure(seconds: 0, warmUp: .zero, accepts: { _ in true }) {
            connection,
            answer in
            if answer?.status == 503 { return requests[held[connection]] }
            if let answer {
                answers[held[connection]] = Array(answer.body)[...]
                if answer.status != 200 { refusal = refusal ?? answer.text }
            }
            guard next < requests.count else { return nil }
            held[connection] = next
            next += 1
            return requests[held[connection]]
        }
        if let refusal { throw Subprocess.Failed(description: "refused: \(refusal)") }
        return answers
    }

    func challenges(_ count: Int, for purpose: String) async throws -> [[UInt8]] {
        let request = Wire.challenge(for: purpose)
        return try await answers(to: [[UInt8]](repeating: request, count: count))
            .map { try Wire.required("token", of: $0) }
    }

    /// Logs `users` in, each with a code that `request` redeems; the answers.
    func logins(
        of users: [Seeds.Session],
        scope: String,
        _ request: (_ number: Int, _ code: [UInt8]) throws -> [UInt8] = { Wire.redeem($1) }
    ) async throws -> [ArraySlice<UInt8>] {
        let codes = try await seeds.codes(Self.sessionsPerGrant, for: users, scope: scope)
        return try await answers(to: codes.enumerated().map { try request($0, $1) })
    }

    /// More than can be answered in a run: nothing is cheaper than a refresh and needs signing.
    var requestsPerRun: Int { Int((options.seconds + 1.5) * (capacity ?? 0) * 1.1) }

    // MARK: Scripts

    /// Each request once.
    static func once(_ requests: [[UInt8]]) -> LoadGenerator.Script {
        var next = 0
        return { _, _ in
            guard next < requests.count else { return nil }
            next += 1
            return requests[next - 1]
        }
    }

    /// Each request in its turn, again and again.
    static func inTurn(_ requests: [[UInt8]]) -> LoadGenerator.Script {
        var next = 0
        return { _, _ in
            next += 1
            return requests[next % requests.count]
        }
    }
}

extension Wire {
    static func challenge(for purpose: String) -> [UInt8] {
        post(
            "/oauth2/challenge",
            Array(#"{"purpose":"\#(purpose)"}"#.utf8),
            type: "application/json"
        )
    }

    /// A member that an answer must have.
    static func required(_ name: String, of body: ArraySlice<UInt8>) throws -> [UInt8] {
        guard let value = member(name, of: body) else {
            throw Subprocess.Failed(description: "an answer without \(name)")
        }
        return value
    }

    static func text(_ name: String, of body: ArraySlice<UInt8>) throws -> String {
        String(decoding: try required(name, of: body), as: UTF8.self)
    }
}
