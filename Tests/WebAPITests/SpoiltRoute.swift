import HTTPServer
import OAuth
import Testing
import WebAPI

/// A route with parameters that would do, each of which is then spoilt in every way.
struct SpoiltRoute: Sendable, CustomTestStringConvertible {
    /// In which form a refusal goes out (WireContract 1.2).
    enum Form: Sendable { case oauth, envelope, page }

    let method: WebAPI.Method
    let path: String
    let form: Form
    let parameters: [SpoiltParameter]
    var headers: [(name: String, value: String)] = []
    var note = ""

    var testDescription: String { "\(method.rawValue) \(path) \(note)" }

    /// What is sent, and what must come back, for one parameter.
    func rows(_ spoilt: SpoiltParameter) -> [(what: String, text: String, expected: String)] {
        let others = parameters.filter { $0.name != spoilt.name }.map(\.pair)
        func row(_ what: String, _ own: [String], _ expected: String)
            -> (what: String, text: String, expected: String)
        {
            (
                "\(spoilt.name) \(what)", (others + own).joined(separator: "&"),
                expected
            )
        }
        let refused = form == .envelope ? "400 BadRequest" : "400 invalid_request"
        let twice = [spoilt.pair, "\(spoilt.name)=SPOILT"]
        return [
            row("absent", [], spoilt.absent),
            row("empty", ["\(spoilt.name)="], spoilt.empty ?? spoilt.absent),
            row("twice", twice, spoilt.twice ?? refused),
            row("too long", ["\(spoilt.name)=SPOILT\(Self.long)"], spoilt.long),
            row("not UTF-8", ["\(spoilt.name)=SPOILT%FF%FE"], spoilt.unreadable ?? refused),
            row("cut UTF-8", ["\(spoilt.name)=SPOILT%E2%82"], spoilt.unreadable ?? refused),
            row("with NUL", ["\(spoilt.name)=SPOILT%00"], spoilt.unreadable ?? refused),
            row("with a line end", ["\(spoilt.name)=SPOILT%0D%0A"], spoilt.unreadable ?? refused),
            row("with a bad escape", ["\(spoilt.name)=SPOILT%G1"], spoilt.unreadable ?? refused),
        ]
    }

    private static let long = String(repeating: "a", count: 9_000)

    /// `400 invalid_grant`: the status, and the error where there is one.
    func outcome(_ answer: Answer) -> String {
        let redirected = answer.location?.split(separator: "error=").dropFirst().first
            .map { String($0.prefix { $0 != "&" }) }
        let error =
            switch form {
            case .oauth: answer.error
            case .envelope: answer["error"]?["reason"]?.string
            case .page: answer.pageError ?? redirected
            }
        return ["\(answer.status)", error].compactMap(\.self).joined(separator: " ")
    }
}

/// A parameter with a value that would do, and what comes back when it is spoilt.
struct SpoiltParameter: Sendable {
    let name: String
    /// As it is sent, escaped.
    let value: String
    let absent: String
    /// A value of 9,000 bytes.
    let long: String
    /// Where an empty value is not an absent one.
    var empty: String?
    /// Where it may be repeated.
    var twice: String?
    /// Where what cannot be decoded is no parameter at all.
    var unreadable: String?
    /// A person's own mistake is shown to this person.
    var echoes = false

    init(_ name: String, _ value: String, absent: String, long: String) {
        self.name = name
        self.value = value
        self.absent = absent
        self.long = long
    }

    var pair: String { "\(name)=\(value)" }

    /// A copy that differs.
    func but(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
