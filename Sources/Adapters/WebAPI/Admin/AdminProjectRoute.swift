internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET`, `PUT /admin/v1/project`: the document of a project (WireContract 13.3).
package struct AdminProjectRoute: AdminRoute {
    package static var paths: [String] { ["/admin/v1/project"] }
    package static var methods: [Method] { [.get, .put] }

    private let administration: ProjectAdministration

    package init(administration: ProjectAdministration) { self.administration = administration }

    package static func role(for method: Method) -> Operator.Role {
        method == .get ? .read : .configure
    }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            return request.request.method == .get
                ? try await document(request) : try await apply(request)
        } catch { return .admin(error) }
    }

    private func document(_ request: AdminRequest) async throws(EnvelopeError) -> Response {
        let id = try request.knownProject()
        do {
            let applied = try await administration.document(of: id, by: request.deadline)
            var response = Response(
                .ok,
                contentType: "application/yaml",
                body: applied.document
            )
            response.add("ETag", Self.tag(applied.digest))
            return response
        } catch { throw EnvelopeError(error) }
    }

    private func apply(_ request: AdminRequest) async throws(EnvelopeError) -> Response {
        let incoming = request.request
        guard incoming.isSent(as: .yaml) else {
            throw EnvelopeError(.badRequest, "request content type is invalid")
        }
        let named = try request.namedProject()
        if try isCheck(request) {
            try request.requireRead()
            do {
                try await administration.check(
                    incoming.body,
                    as: named,
                    by: incoming.deadline
                )
            } catch { throw EnvelopeError(error) }
            return .result(Array("{}".utf8))
        }
        let precondition = try precondition(incoming.headers)
        // Whether there is one already is asked of the log.
        if precondition != .absent { try request.requireRead() }
        let reason = try request.reason()
        let applied: (settings: ProjectSettings, isSuspended: Bool)
        do throws(OperationError) {
            applied = try await administration.apply(
                incoming.body,
                as: named,
                if: precondition,
                by: request.by,
                reason: reason,
                deadline: incoming.deadline
            )
        } catch { throw EnvelopeError(error) }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", applied.settings.id.text)
            // A document lifts no suspension (decision 0201): who applied one is to know.
            writer.member("suspended", applied.isSuspended)
        }
        return .result(writer.bytes, status: precondition == .absent ? .created : .ok)
    }

    private func isCheck(_ request: AdminRequest) throws(EnvelopeError) -> Bool {
        guard let value = try request.parameter("check") else { return false }
        if value.elementsEqual("true".utf8) { return true }
        guard value.elementsEqual("false".utf8) else {
            throw EnvelopeError(.badRequest, "check must be true or false")
        }
        return false
    }

    /// Exactly one of the two, so that nobody overwrites what they have not seen.
    private func precondition(_ headers: RequestHeaders) throws(EnvelopeError)
        -> ProjectAdministration.Precondition
    {
        switch (headers["if-match"], headers["if-none-match"]) {
        case (nil, let none?) where none.elementsEqual("*".utf8): return .absent
        case (let tag?, nil):
            guard tag.first == UInt8(ascii: "\""), tag.last == UInt8(ascii: "\""),
                let bytes = Hexadecimal.decode(Array(tag.dropFirst().dropLast())),
                let digest = TokenDigest(bytes: bytes)
            else { throw EnvelopeError(.badRequest, "If-Match is no tag of a project") }
            return .digest(digest)
        case (.some, .some), (nil, .some), (nil, nil):
            throw EnvelopeError(.badRequest, "If-Match, or If-None-Match: *, is required")
        }
    }

    private static func tag(_ digest: TokenDigest) -> String {
        "\"\(Hexadecimal.text(digest.bytes))\""
    }
}
