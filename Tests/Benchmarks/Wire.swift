import Foundation

/// Requests as bytes, and the few members the scripts read from answers.
enum Wire {
    static func post(
        _ path: String,
        _ form: [UInt8],
        authorization: String? = nil,
        proof: String? = nil,
        type: String = "application/x-www-form-urlencoded"
    ) -> [UInt8] {
        var head = "POST \(path) HTTP/1.1\r\nHost: localhost:\(Stack.port)\r\n"
        if let authorization { head += "Authorization: \(authorization)\r\n" }
        if let proof { head += "DPoP: \(proof)\r\n" }
        head += "Content-Type: \(type)\r\n"
        head += "Content-Length: \(form.count)\r\n\r\n"
        return Array(head.utf8) + form
    }

    static func get(_ path: String, authorization: String? = nil, port: UInt16 = Stack.port)
        -> [UInt8]
    {
        var head = "GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n"
        if let authorization { head += "Authorization: \(authorization)\r\n" }
        return Array((head + "\r\n").utf8)
    }

    /// Credentials for `Authorization: Basic`.
    static func basic(_ client: String, _ secret: String) -> String {
        "Basic \(Data("\(client):\(secret)".utf8).base64EncodedString())"
    }

    static func refresh(_ token: some Collection<UInt8>, proof: String? = nil) -> [UInt8] {
        post(
            "/oauth2/token",
            Array("grant_type=refresh_token&client_id=app&refresh_token=".utf8) + token,
            proof: proof
        )
    }

    static func revoke(_ token: some Collection<UInt8>) -> [UInt8] {
        post("/oauth2/revoke", Array("client_id=app&token=".utf8) + token)
    }

    /// `more`: further parameters, each with its ampersand.
    static func redeem(_ code: [UInt8], more: String = "", proof: String? = nil) -> [UInt8] {
        let start = "grant_type=authorization_code&client_id=app&redirect_uri=com.example.app:/cb"
        let form = "\(start)&code_verifier=\(Seeds.verifier)\(more)&code="
        return post("/oauth2/token", Array(form.utf8) + code, proof: proof)
    }

    /// A request of a grant type; `form` is all else, ready for the wire.
    static func grant(_ type: String, _ form: String, authorization: String? = nil) -> [UInt8] {
        post(
            "/oauth2/token",
            Array("grant_type=\(type)&\(form)".utf8),
            authorization: authorization
        )
    }

    /// The string member `name` of a flat JSON object.
    static func member(_ name: String, of body: ArraySlice<UInt8>) -> [UInt8]? {
        let key = Array("\"\(name)\":\"".utf8)
        guard let start = ClientConnection.find(key, in: body) else { return nil }
        let value = body[(start + key.count)...]
        guard let end = value.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        return Array(value[..<end])
    }
}
