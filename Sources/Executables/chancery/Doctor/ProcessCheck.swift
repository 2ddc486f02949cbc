import OAuth
import Runtime

/// A token-issuer through its admin listener: ready, and its project free of risky choices.
struct ProcessCheck: Sendable {
    let client: AdminClient

    func findings(on loop: Loop) async -> [Finding] {
        guard client.isNamed else {
            return [
                .warning(
                    "no token-issuer was asked: there is no admin listener to ask",
                    "Name it with --admin http://127.0.0.1:PORT, or in ADMIN_URL."
                )
            ]
        }
        do throws(CommandFailure) {
            let answer = try await client.raw("/readyz", on: loop)
            var found = readiness(answer)
            found += try await ProjectCheck(client: client, loop: loop).findings()
            return found
        } catch { return [.fault(error.sentence, error.remedy ?? "Is token-issuer running?")] }
    }

    private func readiness(_ answer: HTTPAnswer) -> [Finding] {
        guard case .object(let checks) = answer.json?["checks"] else {
            return [.fault("/readyz answered \(answer.status)", "Look at token-issuer's log.")]
        }
        let bad = checks.filter { $0.value.string != "ok" }
        guard !bad.isEmpty else { return [.ok("token-issuer is ready")] }
        return bad.map {
            .fault("token-issuer: \($0.name): \($0.value.shown)", "Its log says more.")
        }
    }
}
