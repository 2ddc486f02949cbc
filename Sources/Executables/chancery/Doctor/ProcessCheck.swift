import Configuration
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
            found += try await project(on: loop)
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

    private func project(on loop: Loop) async throws(CommandFailure) -> [Finding] {
        guard let current = try await ProjectAPI(client, on: loop).current(nil) else {
            return [
                .fault(
                    "there is no project",
                    "Apply one: chancery config apply FILE --reason TEXT."
                )
            ]
        }
        let bytes = Array(current.text.utf8)
        do throws(ConfigurationError) {
            let document = ProjectDocument(isInsecureDevelopment: true)
            let warnings = try document.warnings(bytes)
            guard !warnings.isEmpty else { return [.ok("the project's configuration is careful")] }
            return warnings.map { .warning($0, "chancery config diff and apply change it.") }
        } catch {
            return error.findings.map {
                .warning("\($0)", "This program and the server differ: update one.")
            }
        }
    }
}
