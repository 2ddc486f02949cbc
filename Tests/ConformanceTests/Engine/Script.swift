import Foundation

/// An `.http` file: steps in order, one browser (cookie jar) unless it says otherwise, each request
/// at the next node.
///
/// ```
/// # RFC 6749 §5.2: an unknown refresh token is invalid_grant (a failure names this line)
/// @ session s client=app scope="openid offline_access"
/// POST /oauth2/token
/// Authorization: Basic {{basic web}}
///
/// grant_type=refresh_token&client_id=app&refresh_token={{s.refresh_token}}
///
/// => 200
/// Cache-Control: no-store
/// !Set-Cookie
/// {"token_type": "Bearer", "refresh_token": "{{> next}}"}
/// ~ <input name="form_token" value="{{> form}}">
/// ```
/// A body line goes on where the next begins with two spaces. JSON is a subset: members that are
/// named must be equal, `null` says that one is absent, others may be there. `~` is text that the
/// body contains. `JWT {{s.access_token}}` asks nobody: its answer is what the token says. Header
/// values and JSON strings may hold `{{*}}` and `{{> name}}`. `{{body}}` is the body of the answer
/// before.
struct Script: Sendable, CustomStringConvertible {
    struct Mistake: Error, CustomStringConvertible {
        var line: Int
        var why: String
        var description: String { "line \(line): \(why)" }
    }

    enum Step: Sendable {
        /// `@ name arguments…`: something prepared, such as a session.
        case prepare(line: Int, words: [String])
        case exchange(Exchange)
    }

    let name: String
    let steps: [Step]
    var description: String { name }

    init(name: String, text: String) throws(Mistake) {
        self.name = name
        var lines = text.components(separatedBy: "\n")[...]
        var number = 0
        var steps: [Step] = []
        var sentence = ""
        while let line = lines.first {
            if line.isEmpty || line.hasPrefix("#") {
                if !line.isEmpty { sentence = Self.sentence(of: line) }
                lines = lines.dropFirst()
                number += 1
            } else if line.hasPrefix("@") {
                number += 1
                lines = lines.dropFirst()
                steps.append(.prepare(line: number, words: Self.words(line.dropFirst())))
            } else {
                var reader = ExchangeReader(lines, line: number + 1)
                var exchange = try reader.read()
                exchange.sentence = sentence
                steps.append(.exchange(exchange))
                number += lines.count - reader.rest.count
                lines = reader.rest
            }
        }
        guard steps.contains(where: { if case .exchange = $0 { true } else { false } }) else {
            throw Mistake(line: number, why: "the file asks for nothing")
        }
        self.steps = steps
    }

    private static func sentence(of comment: String) -> String {
        comment.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
    }

    /// Words at blanks, except inside double quotes, which go.
    static func words(_ text: Substring) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        for letter in text {
            if letter == "\"" {
                isQuoted.toggle()
            } else if letter == " " && !isQuoted {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(letter)
            }
        }
        return word.isEmpty ? words : words + [word]
    }
}
