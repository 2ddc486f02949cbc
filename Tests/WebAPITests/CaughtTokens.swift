import Runtime
import TestSupport
import Testing

/// What a request answered that was sent in the middle of another.
final class CaughtTokens: Sendable {
    let answer = Guarded<Answer?>(nil)

    /// Redeems a code of `invest`.
    func redeem(_ code: String, _ web: WebSide) async {
        do {
            let tokens = try await DeviceKeyTests.redeem(
                web,
                code: code,
                jwt: nil,
                client: "invest"
            )
            answer.withLock { $0 = tokens }
        } catch { Issue.record(error) }
    }
}
