/// Lets a parked task go on, from any thread; exactly once.
@safe package struct Resumption<Answer: Sendable>: Sendable {
    private let continuation: UnsafeContinuation<Answer, Never>

    fileprivate init(_ continuation: UnsafeContinuation<Answer, Never>) {
        unsafe self.continuation = continuation
    }

    /// Hands the answer over.
    package func resume(returning answer: Answer) {
        unsafe continuation.resume(returning: answer)
    }
}

extension Loop {
    /// Parks the calling task until what `body` keeps is resumed.
    ///
    /// As `suspend`, for code that must do without unsafe expressions.
    package func park<Answer: Sendable>(
        _ body: (Resumption<Answer>) -> Void
    ) async -> Answer {
        await suspend { continuation in body(unsafe Resumption(continuation)) }
    }
}
