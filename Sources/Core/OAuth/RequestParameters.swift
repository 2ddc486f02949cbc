/// The parameters of a request, from its form or its query (RFC 6749 sections 3.1 and 3.2).
///
/// A parameter sent twice is refused, an empty one counts as absent, an unknown one is never asked
/// for. Names and values are compared as bytes.
package struct RequestParameters: Sendable {
    /// How often `resource` may be sent (RFC 8707 section 2, WireContract 1.1).
    package static let resourcesMax = 8

    package let form: Form

    package init(_ form: Form) { self.form = form }

    /// Pairs in any order: for tests and for requests made inside.
    package init(_ pairs: KeyValuePairs<String, String>) {
        form = Form(
            fields: pairs.map { Form.Field(name: Array($0.key.utf8), value: Array($0.value.utf8)) }
        )
    }

    /// Refuses a repeat of any of `names` but `resource`, before any of them is looked at.
    ///
    /// - Throws: `invalid_request`.
    package func refuseRepeats(of names: some Sequence<String>) throws(OAuthError) {
        let fields = form.fields.span
        for later in fields.indices {
            for earlier in 0..<later where fields[earlier].name == fields[later].name {
                let name = String(decoding: fields[later].name, as: UTF8.self)
                if name != "resource", names.contains(name) { throw .repeated(name) }
                break
            }
        }
    }

    /// The value of `name`, nil when absent or empty.
    ///
    /// - Throws: `invalid_request` when it was sent twice.
    package func optional(_ name: String) throws(OAuthError) -> [UInt8]? {
        let (fields, wanted) = (form.fields.span, name.utf8Span.span)
        var found: [UInt8]?
        for index in fields.indices where fields[index].isNamed(wanted) {
            guard found == nil else { throw .repeated(name) }
            found = fields[index].value
        }
        return found?.isEmpty == false ? found : nil
    }

    /// The value of `name`.
    ///
    /// - Throws: `invalid_request` when it was sent twice, is absent or empty.
    package func required(_ name: String) throws(OAuthError) -> [UInt8] {
        guard let value = try optional(name) else { throw .missing(name) }
        return value
    }

    /// The values of `resource`, empty ones left out.
    ///
    /// - Throws: `invalid_request` for more than `resourcesMax`.
    package func resources() throws(OAuthError) -> [[UInt8]] {
        let values = form.values("resource").filter { !$0.isEmpty }
        guard values.count <= Self.resourcesMax else {
            throw OAuthError(.invalidRequest, "too many values of resource")
        }
        return values
    }

    /// Whether `name` was sent, even empty.
    package func mentions(_ name: String) -> Bool { form.count(of: name) > 0 }
}

extension OAuthError {
    fileprivate static func repeated(_ name: String) -> Self {
        Self(.invalidRequest, "a parameter is repeated", cause: name)
    }

    fileprivate static func missing(_ name: String) -> Self {
        let sentence = missingSentences[name] ?? "a required parameter is missing"
        return Self(.invalidRequest, sentence, cause: name)
    }

    /// What a client hears of a parameter that it left out: constants, as all it hears.
    private static let missingSentences: [String: StaticString] = [
        "actor_token": "actor_token is missing: send the device secret",
        "actor_token_type": "actor_token_type is missing",
        "client_assertion_type": "client_assertion_type is missing beside client_assertion",
        "client_id": "client_id is missing",
        "code": "code is missing",
        "code_challenge": "code_challenge is missing",
        "grant_type": "grant_type is missing",
        "jwt": "jwt is missing: send a challenge that the device's key has signed",
        "redirect_uri": "redirect_uri is missing",
        "refresh_token": "refresh_token is missing",
        "response_type": "response_type is missing",
        "subject_token": "subject_token is missing: send the id token of the session",
        "subject_token_type": "subject_token_type is missing",
        "token": "token is missing",
        "x_pre_authenticated_url_token": "x_pre_authenticated_url_token is missing",
    ]
}
