/// One line of the event stream: the members that the check reads.
struct Record: Decodable {
    struct Payload: Decodable {
        var kind: String
        var id: String?
        var name: String?
        var displayName: String?
        var testID: String?
        var messages: [Message]?
        var issue: Issue?
        var _comments: [String]?
        var _testCase: TestCase?
        var _sourceLocation: Location?
    }
    struct TestCase: Decodable {
        var id: String?
    }
    struct Message: Decodable {
        var symbol: String
        var text: String
    }
    struct Issue: Decodable {
        var isKnown: Bool?
        var isFailure: Bool?
        var sourceLocation: Location?
    }
    struct Location: Decodable {
        var fileID: String?
        var line: Int
    }

    var kind: String
    var payload: Payload

    /// What a failing issue says and where; nil for a known one.
    var issueText: String? {
        guard payload.issue?.isKnown != true, payload.issue?.isFailure != false else { return nil }
        let location = payload.issue?.sourceLocation ?? payload._sourceLocation
        let place = location.map { "\($0.fileID ?? ""):\($0.line)" } ?? ""
        let text = (payload.messages ?? []).map(\.text).joined(separator: " · ")
        return "\(text) \(place)"
    }
}
