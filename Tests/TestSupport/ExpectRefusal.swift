package import OAuth
package import Testing

/// Expects `body` to be refused with this error code.
package func expect<Value>(
    refusal code: OAuthError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async {
    do {
        _ = try await body()
        Issue.record("nothing was refused", sourceLocation: sourceLocation)
    } catch let error as OAuthError {
        #expect(error.code == code, "\(error.cause)", sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}
